import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { PostgresQueryResult } from 'kysely'
import type { Client, ClientConfig, Pool, PoolClient } from 'pg'
import { DocsearchError } from '../../../core/errors.ts'
import type { Logger } from '../../../core/logger.ts'
import { PARSERS, type PostgresClient, type PostgresServer } from './server.ts'
import { pidOf, probe, type Served, ServerSilent, SilenceWatch } from './silence-watch.ts'

export interface PgServerOptions {
  /** `postgres://…`. Missing parts come from libpq's environment variables (`PGPASSWORD`, `PGHOST` …), service files and `~/.pgpass`. */
  url: string
  log: Logger
  connections?: number
  /** After this, PostgreSQL ends the transaction of a process that hangs, so that others need not wait for its locks. */
  idleTransactionMs?: number
  /** Replaces the limits of `SilenceWatch` in tests. */
  silence?: { patienceMs: number; probeMs: number }
}

const CONNECTIONS = 10
const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 10_000
const IDLE_TRANSACTION_MS = 30_000
const LOCK_MS = 60_000
const STATEMENT_MS = 5 * 60_000
/** The longest time that a timer accepts. */
const NO_LIMIT_MS = 2 ** 31 - 1
/** How long a server may take to close the connection of a listener. */
const END_MS = 1000
/** How long a listener waits before it connects again. */
const RECONNECT_MS = 1000

/** Connects to a server. Loads `pg`, which an instance without PostgreSQL does not need. */
export async function pgServer(options: PgServerOptions): Promise<PostgresServer> {
  const { default: pg } = await import('pg')
  const { log, connections = CONNECTIONS } = options
  const config = configOf({ ...options, url: await withService(options.url) })
  const pool: Pool = new pg.Pool({ ...config, max: connections })
  // An idle connection broke off. The pool makes another one when it needs one.
  pool.on('error', (error) => log.debug({ err: error }, 'a connection to PostgreSQL has ended'))
  const since = new WeakMap<object, number>()
  pool.on('connect', (client) => {
    since.set(client, performance.now())
    // Without a listener, a connection that breaks off between two statements would end the process. The next statement fails. The pool listens only
    // while nobody uses the connection, so this listener must be there before anybody gets it.
    client.on('error', () => {})
  })
  const silence = new SilenceWatch<Served>((waiting, signal) => probe(new pg.Client(config), waiting, signal), options.silence)
  return {
    async connect({ upgradeLockMs } = {}) {
      const client = await pool.connect()
      const served = { pid: pidOf(client), since: since.get(client) ?? performance.now() }
      const watch: Watch = (statement) => silence.during(statement, served)
      return upgradeLockMs === undefined ? toClient(client, watch) : forUpgrade(client, watch, upgradeLockMs)
    },
    listen: (channel, ring) => listen(() => new pg.Client(config), { channel, ring, log }),
    end: () => pool.end(),
  }
}

const BEGIN = 'begin'
const ENDS = new Set(['commit', 'rollback'])
const NO_ROWS: PostgresQueryResult<unknown> = { command: 'SELECT', rowCount: 0, rows: [] }

/** Waits for a statement. Throws `ServerSilent` if no answer will come. */
type Watch = <T>(statement: Promise<T>) => Promise<T>

function configOf({ url, idleTransactionMs = IDLE_TRANSACTION_MS }: PgServerOptions): ClientConfig {
  return {
    connectionString: url,
    application_name: 'docsearch',
    keepAlive: true,
    // Otherwise the system asks an idle connection only after two hours whether its other end is still there.
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: idleTransactionMs,
    lock_timeout: LOCK_MS,
    statement_timeout: STATEMENT_MS,
    // Ends a statement without an answer while the server answers other statements. `SilenceWatch` handles a server that answers none, or is gone.
    query_timeout: STATEMENT_MS + CONNECT_MS,
    types: { getTypeParser: (oid: number) => PARSERS[oid] ?? ((value: unknown) => parseOther(oid, value)) },
  }
}

/** The other types of docsearch's columns are integers and booleans. */
function parseOther(oid: number, value: unknown): unknown {
  const [int2, int4, bool] = [21, 23, 16]
  if (oid === int2 || oid === int4) return Number(value)
  return oid === bool ? value === 't' : value
}

function toClient(client: PoolClient, watch: Watch, limits: { query_timeout?: number } = {}): PostgresClient {
  let silence: Error | null = null
  let isBeginning = false

  const run = (text: string, parameters: readonly unknown[]): Promise<unknown> =>
    watch(client.query({ text, values: [...parameters], ...limits }))

  /** Sends `begin` together with the first statement of the transaction if that statement has no parameters. This saves a round trip. */
  async function send(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    const isFirst = isBeginning
    isBeginning = false
    if (!isFirst) return (await run(sql, parameters)) as PostgresQueryResult<unknown>
    if (parameters.length === 0) return ((await run(`${BEGIN}; ${sql}`, [])) as PostgresQueryResult<unknown>[]).at(-1)!
    await run(BEGIN, [])
    return (await run(sql, parameters)) as PostgresQueryResult<unknown>
  }

  return {
    async query(sql, parameters) {
      // The rollback of a transaction would wait for the statement that got no answer.
      if (silence !== null) throw silence
      const isBegin = sql === BEGIN
      if (isBegin || (isBeginning && ENDS.has(sql))) {
        isBeginning = isBegin
        return NO_ROWS
      }
      try {
        return await send(sql, parameters)
      } catch (error) {
        if (error instanceof ServerSilent) silence = error
        throw error
      }
    },
    release: (isBroken) => client.release(isBroken),
  }
}

/** The connection has its own settings, so it closes with its client and does not return to the pool. */
async function forUpgrade(client: PoolClient, watch: Watch, lockMs: number): Promise<PostgresClient> {
  const { query, release } = toClient(client, watch, { query_timeout: NO_LIMIT_MS })
  try {
    await query(`set statement_timeout = 0; set lock_timeout = ${lockMs}`, [])
  } catch (error) {
    release(true)
    throw error
  }
  return { query, release: () => release(true) }
}

interface Listening {
  channel: string
  ring: () => void
  log: Logger
}

/** Listens on a separate connection, and connects again when it breaks off. */
async function listen(connect: () => Client, { channel, ring, log }: Listening): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  /** The client that is connected or connecting. */
  let current: Client | undefined

  const begin = async (): Promise<void> => {
    const client = (current = connect())
    client.on('notification', ring)
    // A connection that breaks off can report several errors.
    const lost = new Promise<void>((resolve) => client.on('error', () => resolve()).once('end', resolve))
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
    } catch (error) {
      void client.end().catch(() => {})
      throw error
    }
    ring()
    void lost.then(reconnect)
  }

  const reconnect = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await setTimeout(RECONNECT_MS, undefined, { signal: stopping.signal, ref: false })
        await begin()
        return
      } catch (error) {
        if (!stopping.signal.aborted) log.debug({ err: error }, 'no connection for notifications of PostgreSQL')
      }
    }
  }

  await begin()
  return async () => {
    stopping.abort()
    if (current !== undefined) await end(current)
  }
}

/** Ends a connection, even if the server has stopped answering. */
async function end(client: Client): Promise<void> {
  const late = setTimeout(END_MS, undefined, { ref: false }).then(() => client.connection.stream.destroy())
  await Promise.race([client.end(), late])
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Completes an address with a PostgreSQL service: a section of `~/.pg_service.conf` or `pg_service.conf`, which `?service=` or PGSERVICE names. `pg`
 * reads the other files and variables of libpq, but not this file. Parts that the address itself has take precedence. Throws `invalid_configuration`.
 */
export async function withService(address: string, env: Environment = process.env): Promise<string> {
  const url = new URL(address)
  const name = url.searchParams.get('service') ?? env['PGSERVICE'] ?? ''
  if (name === '') return address
  url.searchParams.delete('service')
  const has = { host: url.hostname !== '', port: url.port !== '', user: url.username !== '', password: url.password !== '' }
  for (const [key, value] of await readService(name, env)) {
    if (key === 'dbname') {
      if (url.pathname.length <= 1) url.pathname = `/${encodeURIComponent(value)}`
    } else if (!(key in has && has[key as keyof typeof has]) && !url.searchParams.has(key)) url.searchParams.set(key, value)
  }
  return url.href
}

async function readService(name: string, env: Environment): Promise<Map<string, string>> {
  const own = env['PGSERVICEFILE'] ?? join(env['HOME'] ?? homedir(), '.pg_service.conf')
  const files = [own, join(env['PGSYSCONFDIR'] ?? '/etc/postgresql-common', 'pg_service.conf')]
  for (const file of files) {
    const settings = sectionOf(await read(file), name)
    if (settings !== null) return settings
  }
  throw new DocsearchError(
    'invalid_configuration',
    `There is no PostgreSQL service ${JSON.stringify(name)} in ${files.join(' or ')}.`,
  )
}

async function read(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return ''
    throw new DocsearchError('invalid_configuration', `Could not read ${file}: ${error.message}`, { cause: error })
  })
}

function sectionOf(text: string, name: string): Map<string, string> | null {
  let found: Map<string, string> | null = null
  let isInside = false
  for (const line of text.split(/\r?\n/).map((line) => line.trim())) {
    if (line.startsWith('[')) {
      isInside = found === null && line === `[${name}]`
      if (isInside) found = new Map()
    } else if (isInside && line !== '' && !line.startsWith('#')) {
      const at = line.indexOf('=')
      if (at > 0) found?.set(line.slice(0, at).trim(), line.slice(at + 1).trim())
    }
  }
  return found
}
