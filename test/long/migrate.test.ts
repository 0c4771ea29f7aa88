import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Migrated } from '../../src/contract/migrate.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { BIN, runCli, startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { generatedText } from '../support/generated-text.ts'
import { BUCKET, startVersitygw, VERSITYGW } from '../support/object-stores.ts'
import { hasPostgres, startPostgres } from '../support/postgres-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const DOCUMENTS = 300
/** When to kill the command, in milliseconds after its start: in each of its phases, on slow and fast machines. */
const KILLS = [700, 1_200, 1_800, 2_500, 3_500, 5_000, 7_000, 10_000]

const text = generatedText()
const QUERIES = Array.from({ length: 20 }, (_, i) => text.document(i).content.split(/\s+/).slice(10, 13).join(' '))

async function start(home: string): Promise<RealDaemon> {
  const daemon = await startRealDaemon({ home, env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  onTestFinished(() => daemon.dispose())
  return daemon
}

async function findAll(daemon: RealDaemon) {
  const answers = []
  for (const query of QUERIES) {
    const { stdout } = await runCli(['--json', 'search', query], daemon.env)
    const { results } = JSON.parse(stdout) as SearchAnswer
    answers.push(results.map(({ document, text, score }) => [document.id, text, score]))
  }
  return answers
}

/** Runs `docsearch migrate`. Kills it after `killAfterMs`, unless it has ended. Returns what it printed. */
async function migrate(args: readonly string[], env: Record<string, string>, killAfterMs: number | null) {
  const child = spawn(process.execPath, [BIN, '--json', 'migrate', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part))
  const ended = once(child, 'close')
  const waiting = new AbortController()
  if (killAfterMs !== null) {
    const pause = setTimeout(killAfterMs, undefined, { signal: waiting.signal }).catch(() => {})
    await Promise.race([ended, pause])
    child.kill('SIGKILL')
  }
  await ended
  waiting.abort()
  return { stdout, stderr }
}

test.skipIf(!hasPostgres || VERSITYGW === null)(
  'a move that is killed again and again loses nothing, there and back',
  { timeout: 1_800_000 },
  async () => {
    const [postgres, server] = await Promise.all([startPostgres(), startVersitygw()])
    onTestFinished(async () => {
      await postgres.stop()
      await server[Symbol.asyncDispose]()
    })
    const folder = await tempFolder()
    for (let i = 0; i < DOCUMENTS; i++) await writeFile(join(folder, `doc-${i}.txt`), text.document(i).content)
    const daemon = await start(await tempFolder())
    expect(await runCli(['upload', folder, '--wait'], daemon.env)).toMatchObject({ code: 0 })
    const found = await findAll(daemon)
    await daemon.stop()

    const env = { ...daemon.env, ...server.env }
    const store = ['--store', `s3://${BUCKET}/${randomBytes(6).toString('hex')}`]
    const database = await postgres.database()
    const home = await tempFolder()
    const target = join(home, 'instance')
    for (const args of [
      ['--data', daemon.dataDir, '--to', database, ...store],
      ['--database', database, ...store, '--to', target],
    ]) {
      let printed = { stdout: '', stderr: '' }
      for (const ms of [...KILLS, null]) if (printed.stdout === '') printed = await migrate(args, env, ms)
      // A command that was killed keeps its lease for a while.
      expect(printed.stderr).toMatch(/^(?:Waiting for the lease of the writer[^\n]*\n)?$/)
      const moved = JSON.parse(printed.stdout) as Migrated
      expect(moved).toMatchObject({ documents: DOCUMENTS, originals: DOCUMENTS, missing: [], index: { state: 'copied' } })
    }
    const again = await start(home)
    expect(await findAll(again)).toEqual(found)
    await again.stop()
    expect(await runCli(['doctor', '--data', target], again.env)).toMatchObject({ code: 0 })
  },
)
