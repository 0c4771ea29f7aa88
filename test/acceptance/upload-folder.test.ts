import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
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

/** Runs the command line in the folder. With `terminal`, its streams are a terminal, whose output is returned. */
async function run(args: string[], { terminal = false } = {}) {
  const command = [process.execPath, BIN, ...args]
  const quoted = command.map((part) => `'${part}'`).join(' ')
  const [file = '', ...rest] = terminal ? ['script', '-qec', `stty cols 100; ${quoted}`, '/dev/null'] : command
  const child = spawn(file, rest, { cwd: folder, env: { ...daemon.env, TERM: 'xterm' }, stdio: ['ignore', 'pipe', 'pipe'] })
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

// util-linux has `script` with these options; other systems have another one.
test.skipIf(process.platform !== 'linux' || !existsSync('/usr/bin/script'))('and on a terminal', async () => {
  await run(['upload', '.', '-r', '--wait'])
  writeFileSync(join(folder, 'contract.txt'), 'Alice wrote it again.')
  const { code, stdout } = await run(['upload', '.', '-r', '--exclude', 'drafts', '--wait'], { terminal: true })
  expect(code).toBe(0)
  expect(stdout).toContain('Comparing')
  expect(stdout).toContain('Skipped 1 entry that matches --exclude.')
  expect(stdout).toContain('0 new, 1 changed, 0 unchanged')
  expect(stdout).toMatch(/replaced +ready +alice\/contract\.txt/)
})
