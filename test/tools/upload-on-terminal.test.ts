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

/** Runs the command line in the folder, on a terminal whose output is returned. */
async function runOnTerminal(args: string[]) {
  const quoted = [process.execPath, BIN, ...args].map((part) => `'${part}'`).join(' ')
  const command = ['-qec', `stty cols 100; ${quoted}`, '/dev/null']
  const child = spawn('script', command, {
    cwd: folder,
    env: { ...daemon.env, TERM: 'xterm' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let stdout = ''
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout }
}

// util-linux has `script` with these options; other systems have another one.
test.skipIf(process.platform !== 'linux' || !existsSync('/usr/bin/script'))(
  'uploads the current folder on a terminal',
  async () => {
    await runCli(['upload', folder, '-r', '--wait'], daemon.env)
    writeFileSync(join(folder, 'contract.txt'), 'Alice wrote it again.')
    const { code, stdout } = await runOnTerminal(['upload', '.', '-r', '--exclude', 'drafts', '--wait'])
    expect(code).toBe(0)
    expect(stdout).toContain('Comparing')
    expect(stdout).toContain('Skipped 1 entry that matches --exclude.')
    expect(stdout).toContain('0 new, 1 changed, 0 unchanged')
    expect(stdout).toMatch(/replaced +ready +alice\/contract\.txt/)
  },
)
