import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { prepareNginx } from './nginx.ts'
import { areOnServers } from './on-servers.ts'

const SCOPES = ['read:documents', 'write:documents', 'manage:keys']
export const BIN = fileURLToPath(new URL('../../bin/docsearch.js', import.meta.url))
/** A cache of compiled code, shared by all processes. Otherwise each process would compile everything again. */
const CODE_CACHE = fileURLToPath(new URL('../../.cache/code', import.meta.url))

export interface RealDaemon {
  url: string
  pid: number
  dataDir: string
  /** The file of the SQLite database, or the address of the PostgreSQL database. */
  database: string
  /** The environment in which the command line finds the daemon's key. */
  env: Record<string, string>
  setupUrl: string | null
  /** Milliseconds from the start of the process to the line `listening`. */
  startedAfterMs: number
  stderr(): string
  /** The key of the local command line. */
  token(): Promise<string>
  /** Asks the daemon to stop and returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Kills the daemon with SIGKILL and waits for its end. */
  kill(): Promise<void>
  exited: Promise<number | null>
  /** Stops the daemon and removes its folders. */
  dispose(): Promise<void>
}

/** Returns the environment that the binary needs, without docsearch settings of this machine's user. */
export function cleanEnv(home: string, extra: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CACHE_HOME: CODE_CACHE,
    XDG_STATE_HOME: join(home, 'state'),
    LANG: 'C.UTF-8',
    ...extra,
  }
}

/**
 * Starts the real binary on a free port and waits until it listens. With `home`, the folder of an earlier daemon, it starts on
 * the same data. `npm run test:shared` starts it on a database and an object store.
 */
export async function startRealDaemon(
  options: {
    home?: string
    args?: string[]
    env?: Record<string, string>
    /** The binary of another checkout. */
    bin?: string
    onSpawn?: (pid: number) => void
  } = {},
): Promise<RealDaemon> {
  // See test/long/nginx.test.ts.
  const nginx = process.env['DOCSEARCH_TEST_NGINX'] === 'true' ? await prepareNginx('/docs') : null
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'docsearch-daemon-')))
  const dataDir = join(home, 'instance')
  const place = options.env?.['DOCSEARCH_DATABASE'] === undefined ? await placeOf(home) : {}
  const env = cleanEnv(home, { DOCSEARCH_DATA: dataDir, DOCSEARCH_RATE_LIMIT: '0', ...place, ...options.env })
  const publicUrl = nginx === null ? [] : ['--public-url', nginx.url]
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [options.bin ?? BIN, '--json', 'serve', '--port', '0', ...publicUrl, ...(options.args ?? [])],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  options.onSpawn?.(child.pid!)
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-200_000)))
  const first = await firstLine(child)
  if (first === null) throw new Error(`docsearch serve ended with ${await exited} before it listened:\n${stderr}`)
  const ready = JSON.parse(first) as { url: string; setup_url?: string }
  const startedAfterMs = performance.now() - began
  let token: string | undefined
  const daemon: RealDaemon = {
    url: nginx?.url ?? ready.url,
    pid: child.pid!,
    dataDir,
    database: env['DOCSEARCH_DATABASE'] ?? join(dataDir, 'docsearch.db'),
    env: { ...env, DOCSEARCH_SERVER: nginx?.url ?? ready.url },
    setupUrl: ready.setup_url ?? null,
    startedAfterMs,
    stderr: () => stderr,
    token: async () => (token ??= await keyFor(daemon.env)),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return await exited
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    exited,
    async dispose() {
      child.kill('SIGKILL')
      await exited
      await nginx?.[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
  if (nginx !== null) {
    await nginx.start(ready.url)
    // The daemon has stored its key for its own address.
    const key = await keyFor({ ...env, DOCSEARCH_SERVER: ready.url })
    const login = await runCli(['login', nginx.url, '--with-token'], env, key)
    if (login.code !== 0) throw new Error(`no login: ${login.stderr}`)
  }
  return daemon
}

/** The environments of the instances on servers, by the home folder of their daemon. */
const places = new Map<string, Record<string, string>>()

/** Returns the environment that makes a daemon keep its data on servers. Empty if the tests use data folders. */
async function placeOf(home: string): Promise<Record<string, string>> {
  const known = places.get(home)
  if (known !== undefined || !areOnServers()) return known ?? {}
  const { newPlaceEnv } = await import('./new-place.ts')
  const place = await newPlaceEnv()
  places.set(home, place)
  return place
}

export async function keyFor(env: Record<string, string>): Promise<string> {
  const scopes = SCOPES.flatMap((scope) => ['--scope', scope])
  const made = await runCli(['--json', 'keys', 'create', 'for the tests', ...scopes], env)
  if (made.code !== 0) throw new Error(`no key: ${made.stderr}`)
  return (JSON.parse(made.stdout) as { key: string }).key
}

function firstLine(child: ChildProcess): Promise<string | null> {
  const lines = createInterface({ input: child.stdout! })
  return new Promise((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(null))
  })
}

export interface CliResult {
  code: number
  stdout: string
  stderr: string
}

/** Runs the real binary until it ends. */
export function runCli(args: readonly string[], env: Record<string, string>, input?: string | Buffer): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [BIN, ...args], { env, maxBuffer: 64e6 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, stdout, stderr })
    })
    child.stdin!.end(input)
  })
}
