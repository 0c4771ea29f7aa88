// What `npm start` and `npm stop` share: this user's daemon, started in the background and found again.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const bin = join(root, 'bin', 'docsearch.js')
/** Where the person is: npm runs a script in the project. */
export const typedIn = process.env.INIT_CWD ?? process.cwd()

export function fail(code, ...lines) {
  for (const line of lines) console.error(line)
  process.exit(code)
}

/** On a Node that is too old, goes on in the one that `npm ci` has installed here. */
export function ensureNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 15)) return
  const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(node))
    fail(
      2,
      `This is Node.js ${process.versions.node}, and docsearch needs 24.15 or newer. Run \`npm ci\` here: it brings its own.`,
    )
  process.exit(spawnSync(node, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1)
}

/** Compiles when nothing is compiled yet. */
export function ensureBuilt() {
  if (existsSync(join(root, 'dist', 'cli', 'main.js'))) return
  const built = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' })
  if (built.status !== 0) fail(built.status ?? 1, 'The build failed; `npm ci` brings what it needs.')
}

/** The data folder that `docsearch serve` would take; relative to where the person typed, for npm changes the folder. */
export async function dataFolder(flag) {
  const { resolveDataDir } = await import('../dist/config/data-dir.js')
  return resolveDataDir(flag === undefined ? undefined : resolve(typedIn, flag), process.env).dir
}

/** The daemon that has this data folder, or null. */
export async function running(dataDir) {
  const file = join(dataDir, 'daemon.json')
  if (!existsSync(file)) return null
  const { pid, url } = JSON.parse(readFileSync(file, 'utf8'))
  return alive(pid) && (await answers(url)) ? { pid, url, dataDir } : null
}

/** Starts `docsearch serve` in the background and waits until it listens. Ends this process when it does not come up. */
export async function launch(args, dataDir) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const logFile = join(dataDir, 'daemon.log')
  const log = openSync(logFile, 'a', 0o600)
  const from = fstatSync(log).size
  const said = () =>
    readFileSync(logFile)
      .subarray(from)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{'))
  const child = spawn(process.execPath, [bin, 'serve', '--data', dataDir, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', log],
  })
  const line = await new Promise((settle) => {
    const lines = createInterface({ input: child.stdout })
    lines.once('line', settle).once('close', () => settle(null))
  })
  if (line === null) {
    const code = child.exitCode ?? (await once(child, 'exit'))[0]
    fail(
      code ?? 7,
      ...said(),
      'The instance did not start. `npm start -- --port 4748` takes another port, `--data DIR` another data folder; `npm stop` ends one that is left.',
    )
  }
  child.stdout.destroy()
  child.unref()
  return { pid: child.pid, child, url: line.replace(/^listening on /, ''), dataDir, logFile, said: said() }
}

/** Asks the daemon to stop and waits until it has; false when it has not within 20 seconds, or ended other than it should. */
export async function stop({ pid, child }) {
  if (child) {
    if (child.exitCode !== null || child.signalCode !== null) return false
    child.ref()
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    return (await ended)[0] === 0
  }
  process.kill(pid, 'SIGTERM')
  for (let tries = 0; tries < 200; tries++) {
    if (!alive(pid)) return true
    await sleep(100)
  }
  return false
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there, but somebody else's.
    return error.code === 'EPERM'
  }
}

async function answers(url) {
  try {
    await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(5000) })
    return true
  } catch {
    // Whatever has that process id now, it is no daemon of ours.
    return false
  }
}
