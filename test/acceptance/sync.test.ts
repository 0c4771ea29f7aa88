import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { BIN, type RealDaemon, runCli, startRealDaemon } from '../support/daemon.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until, within } from '../support/until.ts'
import { freePort } from '../support/free-port.ts'

async function startDaemon(options: { home?: string; port?: number } = {}): Promise<RealDaemon> {
  const args = options.port === undefined ? [] : ['--port', String(options.port)]
  const daemon = await startRealDaemon({
    ...(options.home !== undefined && { home: options.home }),
    args,
    env: { DOCSEARCH_EMBEDDER: 'builtin' },
  })
  onTestFinished(() => daemon.dispose())
  return daemon
}

/** Starts a command that keeps running, and collects what it prints. */
function start(args: readonly string[], env: Record<string, string>): { child: ChildProcess; printed: () => string } {
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  return { child, printed: () => text }
}

async function pathsIn(env: Record<string, string>, project: string): Promise<string[]> {
  const run = await runCli(['documents', 'list', '--project', project, '--json'], env)
  const { documents = [] } = JSON.parse(run.stdout || '{}') as { documents?: { path: string }[] }
  return documents.map(({ path }) => path).toSorted()
}

test('sync --watch follows the folder, waits for an instance or a folder that is away, and ends at Ctrl-C', async () => {
  const port = await freePort()
  const first = await startDaemon({ port })
  const home = join(first.dataDir, '..')
  const folder = join(home, 'notes')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a.txt'), 'The first note.')
  const { env } = first
  const has = (...names: string[]) =>
    until(`the project has ${names.join(', ')}`, async () => {
      const paths = await pathsIn(env, 'watched')
      return JSON.stringify(paths) === JSON.stringify(names.map((name) => `notes/${name}`))
    })
  const watch = start(['sync', folder, '--project', 'watched', '--watch', '--prune', '--max-delete', '100%'], env)
  const says = (text: string) => until(`the watch says ${text}`, () => watch.printed().includes(text))
  await has('a.txt')
  mkdirSync(join(folder, 'sub'))
  writeFileSync(join(folder, 'sub/b.txt'), 'The second note.')
  await has('a.txt', 'sub/b.txt')
  renameSync(join(folder, 'sub/b.txt'), join(folder, 'c.txt'))
  await has('a.txt', 'c.txt')

  await first.stop()
  writeFileSync(join(folder, 'd.txt'), 'A note that nobody heard of.')
  await says('Trying again')
  await startDaemon({ home, port })
  await has('a.txt', 'c.txt', 'd.txt')

  renameSync(folder, join(home, 'away'))
  await says('is not available')
  writeFileSync(join(home, 'away', 'e.txt'), 'A note from elsewhere.')
  renameSync(join(home, 'away'), folder)
  await has('a.txt', 'c.txt', 'd.txt', 'e.txt')
  rmSync(join(folder, 'a.txt'))
  await has('c.txt', 'd.txt', 'e.txt')

  const ended = once(watch.child, 'exit')
  watch.child.kill('SIGINT')
  expect((await within('the end of the watch', ended))[0]).toBe(130)
})

test('after a kill in the middle, the next sync finishes, and two at once do no harm', async () => {
  const { env, dataDir } = await startDaemon()
  const folder = join(dataDir, '..', 'notes')
  mkdirSync(folder)
  const names = Array.from({ length: 150 }, (_, i) => `${String(i).padStart(3, '0')}.txt`)
  for (const name of names) writeFileSync(join(folder, name), `The text of note ${name}.`)
  const sync = ['sync', folder, '--project', 'many', '--prune', '--max-delete', '100%']
  const killed = start(sync, env)
  await until('the first documents', async () => (await pathsIn(env, 'many')).length > 0)
  killed.child.kill('SIGKILL')
  for (const name of names.slice(0, 20)) rmSync(join(folder, name))
  for (const name of names.slice(20, 40)) renameSync(join(folder, name), join(folder, `renamed-${name}`))
  const both = await Promise.all([runCli(sync, env), runCli(sync, env)])
  expect(await runCli(sync, env)).toMatchObject({ code: 0, stdout: '' })
  expect(both.map(({ code }) => code).every((code) => code === 0 || code === 3)).toBe(true)
  const expected = readdirSync(folder).map((name) => `notes/${name}`)
  expect(await pathsIn(env, 'many')).toEqual(expected.toSorted())
  expect((await runCli(sync, env)).stderr).toContain('0 new, 0 changed, 0 renamed, 0 gone, 130 unchanged')
})

test.skipIf(process.platform !== 'linux')('--install writes and starts a systemd unit, and --uninstall removes it', async () => {
  const { env: own, dataDir } = await startDaemon()
  const home = join(dataDir, '..')
  const folder = join(home, 'My "notes" 100% $HOME')
  mkdirSync(folder)
  const tools = await tempFolder()
  const log = join(tools, 'log')
  writeFileSync(join(tools, 'systemctl'), `#!/bin/sh\necho "$@" >> '${log}'\n`)
  chmodSync(join(tools, 'systemctl'), 0o755)
  const env = { ...own, PATH: `${tools}:${own['PATH']}` }
  const args = ['sync', folder, '--project', 'p', '--prune', '--exclude', '*.log']
  expect(await runCli([...args, '--install'], env)).toMatchObject({ code: 0 })
  const units = join(home, 'config/systemd/user')
  const [unit] = readdirSync(units)
  const text = readFileSync(join(units, unit!), 'utf8')
  expect(text).toContain(String.raw`"My \"notes\" 100%% $$HOME"`.slice(1))
  expect(text).toMatch(/^ExecStart="[^"]+node" "[^"]+docsearch\.js" "--server" "http:\/\/127\.0\.0\.1:\d+(?:\/docs)?" "sync" /m)
  expect(text).toContain('"--project" "p" "--watch" "--prune" "--max-delete" "10%%" "--exclude" "*.log"')
  expect(text).toContain(`Environment="DOCSEARCH_DATA=${dataDir}"`)
  expect(readFileSync(log, 'utf8')).toBe(`--user daemon-reload\n--user enable ${unit}\n--user restart ${unit}\n`)
  const token = await runCli([...args, '--install'], { ...env, DOCSEARCH_TOKEN: 'dsk_x' })
  expect([token.code, token.stderr]).toMatchObject([2, expect.stringContaining('DOCSEARCH_TOKEN')])
  expect(await runCli([...args, '--uninstall'], env)).toMatchObject({ code: 0 })
  expect(existsSync(join(units, unit!))).toBe(false)
  expect(readFileSync(log, 'utf8')).toContain(`--user disable --now ${unit}\n`)
  expect((await runCli([...args, '--uninstall'], env)).code).toBe(2)
  writeFileSync(join(tools, 'systemctl'), '#!/bin/sh\necho "Failed to connect to bus" >&2\nexit 1\n')
  const failed = await runCli([...args, '--install'], env)
  expect([failed.code, failed.stderr]).toMatchObject([3, expect.stringContaining('Failed to connect to bus')])
})
