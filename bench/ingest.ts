import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_LIMITS } from '../src/config/config.ts'
import { silentLogger } from '../src/core/logger.ts'
import { createParserPool } from '../src/parse/pool/pool.ts'
import { startInstance } from '../test/quality/instance.ts'
import { DATA_DIR } from '../test/support/data.ts'
import { type Figure, megabytes, ratio, timed } from './measure.ts'
import { barePdfium, recoll } from './rivals.ts'

/** With one process for each core, parsing alone fills the machine, and the daemon's own work adds to it. With one process, the daemon has a core of its own. */
const WORKERS = [1, 2]

/** Measures the filings from upload to searchable, compared with only parsing the same files with the same number of processes. */
export async function measureIngest(): Promise<Figure[]> {
  const folder = DATA_DIR && join(DATA_DIR, 'filings', 'pdfs')
  if (!folder || !existsSync(folder)) return [{ name: 'ingest of the filings', value: 'skipped: they are not here' }]
  const names = readdirSync(folder).toSorted()
  const figures: Figure[] = []
  for (const workers of WORKERS) figures.push(...(await measureWith(workers, folder, names)))
  return figures
}

async function measureWith(workers: number, folder: string, names: readonly string[]): Promise<Figure[]> {
  const bytes = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

  // Measured before and after the upload, so that slow changes of a shared machine cancel out in the ratio.
  const before = await parseAlone(workers, folder, names)
  const instance = await startInstance(['--embedder', 'builtin'], { DOCSEARCH_PARSE_WORKERS: String(workers) })
  try {
    const files = names.map((name) => ({ name, content: new Uint8Array(readFileSync(join(folder, name))) }))
    // Each parser has read the same file once, so the daemon is as warm as the pool above.
    await instance.load(
      'warm-up',
      Array.from({ length: workers }, (_, i) => ({ ...files[0]!, name: `warm-up-${i}.pdf` })),
    )
    const ingest = await timed(() => instance.load('filings', files))
    const peak = peakMemory(instance.daemon.pid)
    const after = await parseAlone(workers, folder, names)
    const bare = await barePdfium(
      workers,
      names.map((name) => join(folder, name)),
    )
    const parsing = (before.ms + after.ms) / 2
    const { pages } = after
    return [
      {
        name: `filings (${names.length} files, ${pages} pages, ${megabytes(bytes)}), upload to searchable : parsing alone, ${workers} ${workers === 1 ? 'process' : 'processes'} each, both warm`,
        value: `${ratio(ingest.ms / parsing)} (${(ingest.ms / 1000).toFixed(1)} s : ${(before.ms / 1000).toFixed(1)} and ${(after.ms / 1000).toFixed(1)} s)`,
        bound: '≤ 1.5',
      },
      {
        name: `the same upload to searchable : PDFium alone, without processing its text, ${workers} ${workers === 1 ? 'process' : 'processes'} each`,
        value: `${ratio(ingest.ms / bare)} (${(ingest.ms / 1000).toFixed(1)} s : ${(bare / 1000).toFixed(1)} s)`,
        bound: '≤ 1.25',
      },
      await againstRecoll(folder, ingest.ms),
      {
        name: `ingest rate, ${workers} parser ${workers === 1 ? 'process' : 'processes'}`,
        value: `${Math.round(pages / (ingest.ms / 1000))} pages/s, ${(bytes / 1e6 / (ingest.ms / 1000)).toFixed(1)} MB/s`,
      },
      {
        name: 'peak resident memory of the daemon while ingesting',
        value: peak === null ? 'not known here' : megabytes(peak),
        bound: '< 1,074 MB',
      },
    ]
  } finally {
    await instance.dispose()
  }
}

async function againstRecoll(folder: string, ingestMs: number): Promise<Figure> {
  const name = 'the same upload to searchable : `recollindex` on the same files'
  const ms = await recoll(folder)
  if (ms === null) return { name, value: 'skipped: recollindex is not installed' }
  return {
    name,
    value: `${ratio(ingestMs / ms)} (${(ingestMs / 1000).toFixed(1)} s : ${(ms / 1000).toFixed(1)} s)`,
    bound: '≤ 2',
  }
}

/** Returns the milliseconds in which a warm pool reads all files, and their pages. */
async function parseAlone(workers: number, folder: string, names: readonly string[]): Promise<{ ms: number; pages: number }> {
  const pool = createParserPool({ workers, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium', log: silentLogger })
  const parse = (name: string) => pool.parse({ owner: 'usr_1', file: join(folder, name), mediaType: 'application/pdf', name })
  await Promise.all(Array.from({ length: workers }, () => parse(names[0]!)))
  const { ms, value } = await timed(() => Promise.all(names.map(parse)))
  await pool.close()
  return { ms, pages: value.reduce((sum, document) => sum + document.pages.length, 0) }
}

/** Returns VmHWM in bytes; null without /proc. */
export function peakMemory(pid: number): number | null {
  return procStatus(pid, 'VmHWM')
}

export function residentMemory(pid: number): number | null {
  return procStatus(pid, 'VmRSS')
}

function procStatus(pid: number, field: string): number | null {
  const file = `/proc/${pid}/status`
  if (!existsSync(file)) return null
  const match = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(file, 'utf8'))
  return match ? Number(match[1]) * 1024 : null
}
