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
  /** Words of the reference as the manifest counts them; 0 where it does not. */
  manifestWords: number
  /** The code of its failure; null where it was read. */
  failure: string | null
  warnings: string[]
  document: ParsedDocument | null
  /** Against the text that another program read, where there is one and the file was read. */
  overlap: Overlap | null
  edges: WordEdges | null
}

interface Entry {
  file: string
  kind: string
  reference?: string
  ref_words?: number | null
}

/** Every file of the folder through the real parser processes, two at a time. Throws where a process is left over. */
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
      await pool.preflight({ file: path, mediaType, name: file })
      const document = await pool.parse({ file: path, mediaType, name: file })
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
      // What has no code is a fault of ours.
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

/** With what runs through it, for the reference has that among its text. */
function wholeText({ pages }: ParsedDocument): string {
  return pages.map(({ text, running = [] }) => [text, ...running].join('\n')).join('\f')
}

/** Processes started by this one; none where the system does not tell. */
function children(): string[] {
  const tasks = '/proc/self/task'
  if (!existsSync(tasks)) return []
  return readdirSync(tasks).flatMap((task) => {
    const file = join(tasks, task, 'children')
    return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean) : []
  })
}
