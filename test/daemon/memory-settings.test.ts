import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, startRealDaemon } from '../support/daemon.ts'

/** Only Linux shows with which settings a process was started. */
const testOnLinux = test.runIf(process.platform === 'linux')

function startOf(pid: number) {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0')
  return { args: read('cmdline'), arenas: read('environ').find((line) => line.startsWith('MALLOC_ARENA_MAX=')) }
}

async function start(env: Record<string, string> = {}) {
  const daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin', ...env } })
  onTestFinished(() => daemon.dispose())
  return daemon
}

testOnLinux('the daemon gets its memory settings and keeps its process ID', async () => {
  const daemon = await start()
  const { args, arenas } = startOf(daemon.pid)
  expect(args).toContainEqual(expect.stringMatching(/^--max-semi-space-size=/))
  expect(args.at(-2)).toBe('0')
  expect(arenas).toBe('MALLOC_ARENA_MAX=2')
  const announced = JSON.parse(readFileSync(join(daemon.dataDir, 'daemon.json'), 'utf8')) as { pid: number }
  expect(announced.pid).toBe(daemon.pid)
  // Threads and parser processes work with the settings as well.
  const uploaded = await runCli(['upload', '--wait', '--name', 'note.txt', '-'], daemon.env, 'The boiler was serviced in March.')
  expect(uploaded).toMatchObject({ code: 0 })
  expect((await runCli(['search', 'boiler'], daemon.env)).stdout).toContain('note.txt')
  expect(await daemon.stop('SIGINT')).toBe(0)
})

testOnLinux('the daemon keeps the settings of its operator', async () => {
  const daemon = await start({ NODE_OPTIONS: '--max-semi-space-size=16', MALLOC_ARENA_MAX: '7' })
  const { args, arenas } = startOf(daemon.pid)
  expect(args.join(' ')).not.toContain('--max-semi-space-size')
  expect(arenas).toBe('MALLOC_ARENA_MAX=7')
})

test('a daemon that cannot start says why, even after it has started Node again', async () => {
  const { dataDir, env } = await start()
  const second = await runCli(['serve', '--port', '0', '--data', dataDir], env)
  expect(second).toMatchObject({ code: 2, stdout: '' })
  expect(second.stderr).toContain(dataDir)
})
