import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BIN, startRealDaemon } from '../test/support/daemon.ts'
import { generatedText } from '../test/support/generated-text.ts'
import { type Figure, median, ms } from './measure.ts'

const FILES = 10_000
const ROUNDS = 5
/** One file in a hundred. */
const CHANGED = FILES / 100
/** A file that changed more recently is read again, since it may change once more without a new time. */
const SETTLED_MS = 3_000

type Tool = 'docsearch' | 'rclone' | 'recoll'
type Run = () => number

/**
 * Measures how long `docsearch sync` takes for a folder of small files: new, unchanged, and with one file in a hundred changed. Next to it,
 * `rclone sync` copies the same files to another folder, and `recollindex` indexes them, if these programs are installed.
 */
export async function measureSync(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'docsearch-bench-sync-'))
  const daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  try {
    const folder = join(base, 'notes')
    const files = writeFiles(folder)
    const env = { ...daemon.env, XDG_CACHE_HOME: join(base, 'cache') }
    const tools = toolsFor(base, folder, env)
    const figures: Figure[] = []
    const add = (what: string, times: Map<Tool, number[]>): void => {
      const value = [...times].map(([tool, values]) => `${tool} ${ms(median(values))}`).join(', ')
      figures.push({ name: `sync of ${FILES} small files, ${what}`, value })
    }
    await pause(SETTLED_MS)
    add('all new', new Map([...tools].map(([tool, run]) => [tool, [run()]])))
    const unchanged = new Map<Tool, number[]>([...tools].map(([tool]) => [tool, []]))
    for (let round = 0; round < ROUNDS; round++) for (const [tool, run] of tools) unchanged.get(tool)!.push(run())
    add('unchanged', unchanged)
    rmSync(env.XDG_CACHE_HOME, { recursive: true })
    add('unchanged, without the cache of hashes', new Map([['docsearch', [tools.get('docsearch')!()]]]))
    const changed = new Map<Tool, number[]>([...tools].map(([tool]) => [tool, []]))
    for (let round = 0; round < ROUNDS; round++) {
      for (let i = 0; i < CHANGED; i++) appendFileSync(files[(round * CHANGED + i) % FILES]!, ` round ${round}`)
      for (const [tool, run] of tools) changed.get(tool)!.push(run())
    }
    add('1 % changed', changed)
    return figures
  } finally {
    await daemon.dispose()
    rmSync(base, { recursive: true, force: true })
  }
}

function writeFiles(folder: string): string[] {
  const text = generatedText()
  return Array.from({ length: FILES }, (_, i) => {
    const file = join(folder, `${i % 100}`, `note-${i}.txt`)
    mkdirSync(dirname(file), { recursive: true })
    // Every tenth generated document is a note of 250 words.
    writeFileSync(file, text.document(10 * i).content)
    utimesSync(file, 1_700_000_000, 1_700_000_000)
    return file
  })
}

/** Each tool brings its copy or index up to date and returns the milliseconds. */
function toolsFor(base: string, folder: string, env: Record<string, string>): Map<Tool, Run> {
  const run =
    (command: string, args: string[], environment: Record<string, string>): Run =>
    () => {
      const began = performance.now()
      const { status, stderr } = spawnSync(command, args, { env: environment })
      if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr.toString()}`)
      return performance.now() - began
    }
  const isInstalled = (command: string) => spawnSync(command, ['--version']).error === undefined
  const tools = new Map<Tool, Run>()
  tools.set('docsearch', run(process.execPath, [BIN, 'sync', folder, '--project', 'notes', '--wait'], env))
  const plain = { PATH: process.env['PATH'] ?? '', HOME: base }
  if (isInstalled('rclone')) tools.set('rclone', run('rclone', ['sync', folder, join(base, 'copy')], plain))
  if (isInstalled('recollindex')) {
    const config = join(base, 'recoll')
    mkdirSync(config)
    writeFileSync(join(config, 'recoll.conf'), `topdirs = ${folder}\nloglevel = 1\n`)
    tools.set('recoll', run('recollindex', ['-c', config], plain))
  }
  return tools
}
