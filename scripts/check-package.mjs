// Packs the project, checks the files in the package, installs it into an empty folder and uses it there.
import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'docsearch-package-'))
const home = join(work, 'home')
const MAX_PACKED = 25e6
mkdirSync(home)
let daemon

try {
  await check()
} finally {
  daemon?.kill('SIGKILL')
  rmSync(work, { recursive: true, force: true })
}

async function check() {
  const [packed] = JSON.parse(ok('npm', ['pack', '--json', '--pack-destination', work], { cwd: root }))
  const paths = packed.files.map(({ path }) => path)
  const allowed =
    /^(bin|dist|models|completions|man|samples|docs|deploy)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|THIRD_PARTY_LICENSES\.txt|sbom\.cdx\.json)$/
  // The only declarations are those of the client library.
  const isSource = (path) => /\.(test|map|tsbuildinfo)\b|(?<!\.d)\.tsx?$/.test(path)
  expect(
    'only files that are used',
    paths.filter((path) => !allowed.test(path) || isSource(path)),
    [],
  )
  for (const path of [
    'bin/docsearch.js',
    'dist/cli/main.cjs',
    'dist/client/library/main.d.ts',
    'models/english.bin',
    'models/README.md',
    'deploy/docsearch.service',
    'dist/node_modules/@lancedb/lancedb/LICENSE',
    'LICENSE',
    'README.md',
    'THIRD_PARTY_LICENSES.txt',
    'sbom.cdx.json',
  ]) {
    expect(`has ${path}`, paths.includes(path), true)
  }
  console.log(
    `${packed.filename}: ${paths.length} files, ${megabytes(packed.size)} packed, ${megabytes(packed.unpackedSize)} unpacked`,
  )
  expect(`smaller than ${megabytes(MAX_PACKED)}`, packed.size < MAX_PACKED, true)
  run(process.execPath, [join(root, 'node_modules', 'publint', 'src', 'cli.js'), join(work, packed.filename), '--strict'])

  const installed = join(work, 'installed')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{"private":true}')
  const withoutCompiler = { ...process.env, PATH: pathWithoutCompiler() }
  for (const name of ['cc', 'gcc', 'g++', 'make', 'python3'])
    expect(`no ${name}`, spawnSync('sh', ['-c', `command -v ${name}`], { env: withoutCompiler }).status, 127)
  const install = ['install', '--no-audit', '--no-fund', join(work, packed.filename)]
  run('npm', install, { cwd: installed, env: withoutCompiler, quiet: true })
  const modules = join(installed, 'node_modules')
  console.log(`installed: ${megabytes(size(modules))}`)
  for (const name of ['@huggingface', 'openai', 'onnxruntime-node', 'sharp', 'typescript'])
    expect(`no ${name}`, existsSync(join(modules, name)), false)

  // npm links the manual page of a global installation only if `man` is a list.
  expect('man', JSON.parse(readFileSync(join(modules, 'docsearch', 'package.json'), 'utf8')).man, ['man/docsearch.1'])
  checkLicences(modules)
  checkClientTypes(installed)
  const bin = join(modules, '.bin', 'docsearch')
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_DATA_HOME: home,
    XDG_CACHE_HOME: home,
    DOCSEARCH_DATA: join(work, 'data'),
  }
  const docsearch = (...args) => spawnSync(process.execPath, [bin, ...args], { cwd: installed, env, encoding: 'utf8', input: '' })
  expect('--version', docsearch('--version').stdout.trim(), packed.version)
  expect('unknown command: exit code', docsearch('nonsense').status, 2)
  expect('no instance: exit code', docsearch('--server', 'http://127.0.0.1:9', 'search', 'rent').status, 5)

  daemon = spawn(process.execPath, [bin, '--json', 'serve', '--port', '0'], {
    cwd: installed,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: daemon.stdout }), 'line')
  const { url } = JSON.parse(line)
  const upload = docsearch('--server', url, '--json', 'upload', join(modules, 'docsearch', 'samples'), '--wait')
  expect(`upload: exit code\n${upload.stderr}`, upload.status, 0)
  const search = docsearch('--server', url, '--json', 'search', 'How much notice do I have to give before moving out?')
  expect(`search: exit code\n${search.stderr}`, search.status, 0)
  const [best] = JSON.parse(search.stdout).results
  expect(
    'search: the right passage',
    [best.document.name, best.chunk.page_start, /two months' notice/.test(best.text)],
    ['lease.pdf', 2, true],
  )
  expect('nothing found: exit code', docsearch('--server', url, 'search', 'zyxwvut', '--mode', 'keyword').status, 1)
  const client = `import { Docsearch } from 'docsearch/client'
    console.log((await new Docsearch({ url: '${url}' }).health()).status)`
  expect('docsearch/client', ok(process.execPath, ['--input-type=module', '--eval', client], { cwd: installed }).trim(), 'ok')
  const stopped = once(daemon, 'exit')
  daemon.kill('SIGTERM')
  expect('serve: exit code', (await stopped)[0], 0)

  await checkOlderNode(bin)
}

/** Returns a PATH with Node, npm and what their scripts need, and without a compiler. */
function pathWithoutCompiler() {
  const folder = join(work, 'bin')
  mkdirSync(folder)
  for (const name of ['sh', 'env', 'npm', 'uname', 'sed', 'dirname', 'basename', 'cat', 'ls', 'mkdir', 'rm']) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
    symlinkSync(realpathSync(stdout.trim()), join(folder, name))
  }
  symlinkSync(process.execPath, join(folder, 'node'))
  return folder
}

/** Every installed package is in the list of licences and in the list of components. */
function checkLicences(modules) {
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const shipped = join(modules, 'docsearch')
  const licences = readFileSync(join(shipped, 'THIRD_PARTY_LICENSES.txt'), 'utf8')
  const { components } = JSON.parse(readFileSync(join(shipped, 'sbom.cdx.json'), 'utf8'))
  const names = Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  const wanted = [...new Set([...names, '@lancedb/lancedb'])].filter((name) => name !== 'docsearch')
  const missing = wanted.filter((name) => !licences.includes(`\n${name} `) || !components.some((one) => one.name === name))
  expect('licences and components of everything installed', missing, [])
}

/** Compiles a program that uses the client library, with nothing installed but the package. */
function checkClientTypes(installed) {
  const program = join(installed, 'program.mts')
  writeFileSync(
    program,
    `import { Docsearch, RequestError, type SearchResult } from 'docsearch/client'
    const docsearch = new Docsearch({ url: 'http://127.0.0.1:4747', apiKey: 'dsk_x' })
    const { results } = await docsearch.search({ query: 'rent', limit: 3 })
    export const pages: number[] = results.map((result: SearchResult) => result.chunk.page_start)
    // @ts-expect-error: the field is misspelled.
    export const wrong = docsearch.search({ query: 'rent', limits: 3 }).catch((error: RequestError) => error.code)`,
  )
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom', '--types', '']
  run(process.execPath, [tsc, ...flags, program], { cwd: installed })
}

/** If the machine's own Node is too old: docsearch says what to do instead of showing a stack trace. */
async function checkOlderNode(bin) {
  const own = (process.env.PATH ?? '')
    .split(':')
    .filter((dir) => !dir.includes('node_modules'))
    .map((dir) => join(dir, 'node'))
    .find(existsSync)
  const version = own && spawnSync(own, ['--version'], { encoding: 'utf8' }).stdout.trim()
  if (!version || Number(/^v(\d+)/.exec(version)?.[1]) >= 24) return
  const { status, stderr } = spawnSync(own, [bin, 'search', 'rent'], { encoding: 'utf8' })
  expect(`Node ${version}: exit code and message`, [status, /needs Node\.js 24\.\d+ or newer/.test(stderr)], [2, true])
}

function expect(what, found, wanted) {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return
  throw new Error(`${what}\n  wanted ${JSON.stringify(wanted)}\n  found  ${JSON.stringify(found)}`)
}

function ok(command, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64e6, ...options })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`)
  return stdout
}

function run(command, args, { quiet = false, ...options } = {}) {
  const output = ok(command, args, options).trim()
  if (!quiet && output) console.log(output)
}

function size(path) {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return 0
  return stats.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0) : stats.size
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
