import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_LIMITS } from '../../src/config/config.ts'
import { silentLogger } from '../../src/core/logger.ts'
import type { ParsedDocument } from '../../src/core/parsed.ts'
import { createParserPool } from '../../src/parse/pool/pool.ts'
import { sniff } from '../../src/parse/sniff/sniff.ts'
import { type Overlap, overlap } from './overlap.ts'
import { type WordEdges, wordEdges } from './word-edges.ts'

export interface ReadFile {
  /** Path within the folder: `pdf/a.pdf`. */
  file: string
  kind: string
  /** Words of the reference according to the manifest, 0 when it has no count. */
  manifestWords: number
  /** The code of its failure, or null when it was read. */
  failure: string | null
  warnings: string[]
  document: ParsedDocument | null
  /** Compared with another program's text. Null without such a text, and when the file was not read. */
  overlap: Overlap | null
  edges: WordEdges | null
}

interface Entry {
  file: string
  kind: string
  reference?: string
  ref_words?: number | null
}

/** Reads every file of the folder with the real parser processes, two at a time. Throws when a process is left running. */
export async function readDocuments(folder: string): Promise<ReadFile[]> {
  const entries = readFileSync(join(folder, 'manifest.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry)
  const before = children()
  const pool = createParserPool({ workers: 2, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium', log: silentLogger })
  const read = async ({ file, kind, reference, ref_words }: Entry): Promise<ReadFile> => {
    const path = join(folder, file)
    try {
      const { mediaType } = await sniff(path, file)
      await pool.preflight({ owner: 'usr_1', file: path, mediaType, name: file })
      const document = await pool.parse({ owner: 'usr_1', file: path, mediaType, name: file })
      const text = reference === undefined ? null : readFileSync(join(folder, reference), 'utf8')
      const whole = wholeText(document)
      return {
        file,
        kind,
        manifestWords: ref_words ?? 0,
        failure: null,
        warnings: document.warnings.map(({ code }) => code),
        document,
        overlap: text === null ? null : overlap(text, whole),
        edges: text === null ? null : wordEdges(text, whole),
      }
    } catch (error) {
      const { code } = error as { code?: string }
      // An error without a code is a bug.
      if (code === undefined) throw error
      return {
        file,
        kind,
        manifestWords: ref_words ?? 0,
        failure: code,
        warnings: [],
        document: null,
        overlap: null,
        edges: null,
      }
    }
  }
  let files: ReadFile[]
  try {
    files = await Promise.all(entries.map(read))
  } finally {
    await pool.close()
  }
  const orphans = children().filter((pid) => !before.includes(pid))
  if (orphans.length > 0) throw new Error(`parser processes are left over: ${orphans.join(', ')}`)
  return files
}

/** Returns the text with its running headers and footers, because the reference has them too. */
function wholeText({ pages }: ParsedDocument): string {
  return pages.map(({ text, running = [] }) => [text, ...running].join('\n')).join('\f')
}

/** Returns the processes that this one started. Empty on systems without /proc. */
function children(): string[] {
  const tasks = '/proc/self/task'
  if (!existsSync(tasks)) return []
  return readdirSync(tasks).flatMap((task) => {
    const file = join(tasks, task, 'children')
    return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean) : []
  })
}
