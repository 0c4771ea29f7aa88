import { execFile, execFileSync, spawn } from 'node:child_process'
import { globSync, existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { until } from './until.ts'
import { freePort } from './free-port.ts'

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), ...globSync('/usr/lib/postgresql/*/bin')]
const binaries = FOLDERS.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))

/** False if this machine has no PostgreSQL server. */
export const hasPostgres = binaries !== undefined
if (!hasPostgres) console.warn('The tests of a PostgreSQL server are skipped: install the package postgresql.')

export interface RunningPostgres {
  /** The address of a database that always exists. */
  admin: string
  /** The server's main process. Its children serve the connections. */
  pid(): number
  /** Creates an empty database and returns its address. */
  database(): Promise<string>
  /** Ends all connections and stops the server, like a crash of its machine. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts a PostgreSQL server in a temporary folder. It never syncs to the disk, so it is fast, unless `settings` say otherwise. */
export async function startPostgres(more: readonly string[] = []): Promise<RunningPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'docsearch-postgres-'))
  const identity = serverIdentity()
  if (identity !== undefined) await chown(folder, identity.uid, identity.gid)
  const data = join(folder, 'data')
  const initdb = ['-D', data, '--no-sync', '-E', 'UTF8', '--locale=C', '-U', 'docsearch', '-A', 'trust']
  await promisify(execFile)(join(binaries!, 'initdb'), initdb, { ...identity, cwd: folder })
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`, 'fsync=off', ...more]
  const admin = `postgres://docsearch@127.0.0.1:${port}/postgres`
  let server: ReturnType<typeof spawn> | undefined
  let databases = 0

  async function start(): Promise<void> {
    const options = settings.flatMap((setting) => ['-c', setting])
    server = spawn(join(binaries!, 'postgres'), ['-D', data, ...options], { ...identity, cwd: folder, stdio: 'ignore' })
    await until('PostgreSQL answers', () => isReady(admin))
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const exit = once(server, 'exit')
    server.kill(signal)
    await exit
  }

  await start()
  return {
    admin,
    pid: () => server!.pid!,
    async database() {
      const name = `test_${++databases}`
      await withClient(admin, (client) => client.query(`create database ${name}`))
      return `postgres://docsearch@127.0.0.1:${port}/${name}`
    },
    start,
    // An immediate shutdown: PostgreSQL recovers at the next start.
    kill: () => end('SIGQUIT'),
    async stop() {
      await end('SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root. */
function serverIdentity(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function isReady(url: string): Promise<boolean> {
  try {
    await withClient(url, (client) => client.query('select 1'))
    return true
  } catch {
    return false
  }
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end()
  }
}
