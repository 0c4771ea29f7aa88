// Starts, finds and stops this user's daemon for `npm start` and `npm stop`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const bin = join(root, 'bin', 'docsearch.js')
/** The folder in which the user typed the command. npm runs scripts in the project's folder. */
export const userFolder = process.env.INIT_CWD ?? process.cwd()

export function fail(code, ...lines) {
  for (const line of lines) console.error(line)
  process.exit(code)
}

/** Runs this script again with the Node that `npm ci` has installed, if this Node is too old. */
export function ensureNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 15)) return
  const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(node))
    fail(
      2,
      `docsearch needs Node.js 24.15 or newer, and this is ${process.versions.node}. Run \`npm ci\`, which installs a newer one in this folder.`,
    )
  process.exit(spawnSync(node, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1)
}

/** Builds the project if it isn't built yet. */
export function ensureBuilt() {
  if (existsSync(join(root, 'dist', 'cli', 'main.cjs'))) return
  const built = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' })
  if (built.status !== 0) fail(built.status ?? 1, 'The build failed. Run `npm ci` to install what it needs.')
}

/** The data folder that `docsearch serve` would use. A relative folder starts at the user's folder, because npm changes the current one. */
export async function dataFolder(flag) {
  const { resolveDataDir } = await import('../dist/config/data-dir.js')
  return resolveDataDir(flag === undefined ? undefined : resolve(userFolder, flag), process.env).dir
}

/** Returns the daemon that runs on this data folder, or null. */
export async function running(dataDir) {
  const file = join(dataDir, 'daemon.json')
  if (!existsSync(file)) return null
  const { pid, url } = JSON.parse(readFileSync(file, 'utf8'))
  return alive(pid) && (await answers(url)) ? { pid, url, dataDir } : null
}

/** The port of `docsearch serve` if nothing chooses another. */
const DEFAULT_PORT = 4747

/**
 * Starts `docsearch serve` in the background and waits until it listens. Takes a free port if the user has chosen none and the default one
 * is taken. Ends this process if the instance fails to start.
 */
export async function launch(args, dataDir) {
  const first = await tryToLaunch(args, dataDir)
  if (first.url !== undefined) return first
  const hasChosen = args.includes('--port') || process.env.DOCSEARCH_PORT
  if (hasChosen || !(await isTaken(DEFAULT_PORT))) return failToStart(first)
  const second = await tryToLaunch([...args, '--port', '0'], dataDir)
  if (second.url === undefined) return failToStart(second)
  return { ...second, messages: [`Port ${DEFAULT_PORT} is in use, so docsearch took another.`, ...second.messages] }
}

function failToStart({ code, messages }) {
  fail(
    code,
    ...messages,
    'The instance did not start. To use another port or data folder, run `npm start -- --port 4748 --data DIR`. To stop an instance that is still running, run `npm stop`.',
  )
}

async function isTaken(port) {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return false
  } catch {
    return true
  } finally {
    server.close()
  }
}

/** Returns the instance, or without `url` the exit code and what the daemon printed. */
async function tryToLaunch(args, dataDir) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const logFile = join(dataDir, 'daemon.log')
  const log = openSync(logFile, 'a', 0o600)
  const from = fstatSync(log).size
  const messages = () => {
    const all = readFileSync(logFile)
    // A full log begins again from the start.
    return all
      .subarray(from <= all.length ? from : 0)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{'))
  }
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
    return { code: code ?? 7, messages: messages() }
  }
  child.stdout.destroy()
  child.unref()
  return { pid: child.pid, child, url: line.replace(/^listening on /, ''), dataDir, logFile, messages: messages() }
}

/** Asks the daemon to stop and waits up to 20 seconds. Returns false if it is still running or ended with an error. */
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
    // The process exists, but belongs to another user.
    return error.code === 'EPERM'
  }
}

async function answers(url) {
  try {
    await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(5000) })
    return true
  } catch {
    // Another program has the process ID now.
    return false
  }
}
