import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BIN, type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'

let daemon: RealDaemon
let folder: string
beforeAll(async () => {
  daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  folder = join(daemon.dataDir, '..', 'alice')
  mkdirSync(join(folder, 'drafts'), { recursive: true })
  for (const name of ['contract.txt', 'drafts/offer.txt']) writeFileSync(join(folder, name), `Alice wrote ${name}.`)
})
afterAll(() => daemon?.dispose())

/** Runs the command line in the folder. */
async function run(args: string[]) {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, env: daemon.env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()))
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout, stderr }
}

test('the current folder gives the paths its name, on a pipe', async () => {
  const dry = await run(['upload', '.', '-r', '--dry-run'])
  expect(dry).toMatchObject({ code: 0, stdout: 'alice/contract.txt\t25\tnew\nalice/drafts/offer.txt\t29\tnew\n' })
  const sent = await run(['upload', '.', '-r', '--wait'])
  expect(sent.code).toBe(0)
  expect(sent.stderr).toMatch(/^2 new, 0 changed, 0 unchanged\n/)
  const again = await run(['upload', '../alice/', '-r', '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ new: 0, changed: 0, unchanged: 2, rejected: [] })
  const list = await runCli(['documents', 'list', '--path', 'alice/drafts/', '--json'], daemon.env)
  expect(JSON.parse(list.stdout)).toMatchObject({ documents: [{ path: 'alice/drafts/offer.txt' }] })
})
