import { spawn, spawnSync } from 'node:child_process'
import { closeSync, cpSync, existsSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testFolder } from '../support/cli.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Creates a copy of the package with this main module, which starts as if under another version of Node. */
function packageWith(main: string, options: { node: string; ownNode: boolean }) {
  const folder = testFolder()
  mkdirSync(join(folder, 'dist', 'cli'), { recursive: true })
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'dist', 'cli', 'main.cjs'), main)
  // Makes the Node that starts report an older version.
  const preload = join(folder, 'preload.cjs')
  writeFileSync(preload, `Object.defineProperty(process.versions, 'node', { value: '${options.node}' })`)
  if (options.ownNode) {
    mkdirSync(join(folder, 'node_modules', 'node', 'bin'), { recursive: true })
    symlinkSync(process.execPath, join(folder, 'node_modules', 'node', 'bin', 'node'))
  }
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') }
  return { args: ['--require', preload, join(folder, 'bin', 'docsearch.js')], options: { env, encoding: 'utf8' as const } }
}

test('an older Node hands over to the Node next to the package, with arguments, streams and exit code', () => {
  const main = `exports.run = async () => { let text = ''; for await (const part of process.stdin) text += part
    console.log(process.versions.node === '${process.versions.node}', process.argv.slice(2).join(' '), text, process.env.DOCSEARCH_HANDED_OVER); process.exit(3) }`
  const { args, options } = packageWith(main, { node: '20.0.0', ownNode: true })
  const run = spawnSync(process.execPath, [...args, 'search', 'a b'], { ...options, input: 'in' })
  expect(run.stdout).toBe('true search a b in undefined\n')
  expect(run.status).toBe(3)
})

test('exits with 2 and says what to install when only an older Node exists', () => {
  const { args, options } = packageWith('exports.run = () => console.log("ran")', { node: '24.14.9', ownNode: false })
  const run = spawnSync(process.execPath, args, options)
  expect(run).toMatchObject({ status: 2, stdout: '' })
  expect(run.stderr).toContain('24.15 or newer')
})

test('a signal to the older Node reaches the Node that took over', async () => {
  const main = `exports.run = async () => { process.on('SIGTERM', () => { console.log('stopping'); process.exit(5) }); setInterval(() => {}, 1000); console.log('ready') }`
  const { args, options } = packageWith(main, { node: '18.0.0', ownNode: true })
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const [ready] = (await once(child.stdout, 'data')) as [Buffer]
  expect(String(ready)).toBe('ready\n')
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(5)
})

test('exits with 2 in a checkout that is not built', () => {
  const folder = testFolder()
  cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const run = spawnSync(process.execPath, [join(folder, 'bin', 'docsearch.js')], { encoding: 'utf8', env: { HOME: folder } })
  expect(run.status).toBe(2)
  expect(run.stderr).toContain('npm run build')
})

test.skipIf(!existsSync('/dev/full')).each([
  [['--help'], /^docsearch: Could not write the result to standard output: ENOSPC\b.*\n$/],
  [['completion', 'bash', '--json'], /^\{"code":"output_unwritable",.*"exit_code":2\}\n$/],
])('%j exits with 2, not 1, when standard output is on a full disk', (args, said) => {
  const home = testFolder()
  const full = openSync('/dev/full', 'w')
  const run = spawnSync(process.execPath, [join(root, 'bin', 'docsearch.js'), ...args], {
    encoding: 'utf8',
    env: { HOME: home },
    stdio: ['ignore', full, 'pipe'],
  })
  closeSync(full)
  expect(run.stderr).toMatch(said)
  expect(run.status).toBe(2)
})

test('a search loads only the modules of Node that it needs', () => {
  const home = testFolder()
  const report = join(home, 'report.cjs')
  writeFileSync(report, `process.on('exit', () => console.log(JSON.stringify(process.moduleLoadList)))`)
  const args = ['--require', report, join(root, 'bin', 'docsearch.js'), 'search', 'rent', '--server', 'http://127.0.0.1:1']
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { HOME: home, DOCSEARCH_TOKEN: 'dsk_x' } })
  const loaded = JSON.parse(stdout) as string[]
  expect(loaded).toContain('NativeModule http')
  // If an ES module imported `node:process` or `node:fs`, Node would load all of these.
  const unneeded = [
    'child_process',
    'internal/fs/promises',
    'internal/readline/interface',
    'internal/worker',
    'internal/deps/undici/undici',
  ]
  expect(unneeded.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([])
})

test('an error of the data folder keeps its exit code in the bundle of the command line', () => {
  const home = testFolder()
  const run = spawnSync(
    process.execPath,
    [join(root, 'bin', 'docsearch.js'), '--json', 'users', 'list', '--data', join(home, 'none')],
    {
      encoding: 'utf8',
      env: { HOME: home },
    },
  )
  expect(JSON.parse(run.stderr)).toMatchObject({ code: 'data_unusable', exit_code: 2 })
  expect(run.status).toBe(2)
})
