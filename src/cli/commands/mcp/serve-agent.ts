import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { reachableAddress } from '../../../client/address.ts'
import { lastLocalInstance } from '../../../client/credentials/local.ts'
import { daemonOf } from '../../../client/local-daemon.ts'
import { type McpMessage, type McpServerSide, McpSession } from '../../../client/mcp.ts'
import { resolveTarget } from '../../../client/profiles.ts'
import { dataVariable, resolveDataDir } from '../../../config/data-dir.ts'
import { DocsearchError, isDocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { cancelled, EXIT } from '../../exit.ts'
import { launchDaemon, type LaunchFailure, logOf } from '../../launch-daemon.ts'

const PARSE_ERROR = -32_700
const INTERNAL_ERROR = -32_603

/** Passes the messages of the agent to the instance, which knows the tools, and the answers back. Ends with standard input. */
export async function serveAgent(context: Context): Promise<number> {
  const { io } = context
  const instance = await AgentInstance.open(context)
  const session = new McpSession()
  const waiting = new Map<unknown, AbortController>()
  const atWork = new Set<Promise<void>>()

  async function answer(message: McpMessage): Promise<void> {
    const { id, method } = message
    const stop = new AbortController()
    if (id !== undefined) waiting.set(id, stop)
    try {
      const received = await session.send(message, await instance.answererOf(message), AbortSignal.any([stop.signal, io.signal]))
      if (received !== null) context.printJson(received)
    } catch (error) {
      if (!(error instanceof DocsearchError)) throw error
      if (stop.signal.aborted || io.signal.aborted) return
      if (id === undefined || method === undefined) return context.notice(error.message)
      context.printJson(failure(id, INTERNAL_ERROR, error.message))
    } finally {
      waiting.delete(id)
    }
  }

  const lines = createInterface({ input: io.stdin, signal: io.signal })
  for await (const line of lines) {
    if (line.trim() === '') continue
    const message = parse(line)
    if (message === null) {
      context.printJson(failure(null, PARSE_ERROR, 'This line is not a message of the protocol.'))
    } else if (message['method'] === 'notifications/cancelled') {
      // The instance keeps nothing between requests. It stops when the connection of the request closes.
      waiting.get((message['params'] as { requestId?: unknown } | undefined)?.requestId)?.abort()
    } else {
      const work = answer(message).finally(() => atWork.delete(work))
      atWork.add(work)
    }
  }
  await Promise.all(atWork)
  if (io.signal.aborted) throw cancelled()
  return instance.isRunning ? EXIT.done : EXIT.unreachable
}

function parse(line: string): McpMessage | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as McpMessage) : null
  } catch {
    return null // The caller answers with an error of the protocol.
  }
}

function failure(id: unknown, code: number, message: string): McpMessage {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

/** Some agents give up after 10 s without an answer to their first message. */
const MAX_FIRST_WAIT_MS = 5_000
/** Messages that only the instance can answer. */
const NEEDS_INSTANCE: ReadonlySet<unknown> = new Set(['tools/call', 'resources/read'])

/** The instance of an agent, which may still be starting, or unable to start. */
class AgentInstance {
  readonly #context: Context
  #running: McpServerSide | null = null
  #missing: McpServerSide | null = null
  #failure = new DocsearchError('unreachable', 'docsearch is starting. Call the tool again in a minute.')
  #connecting: Promise<void> | null = null

  private constructor(context: Context) {
    this.#context = context
  }

  /** Starts an instance if there is none, and waits for it a moment. Throws DocsearchError `not_logged_in` and others. */
  static async open(context: Context): Promise<AgentInstance> {
    const instance = new AgentInstance(context)
    const connecting = instance.#connect()
    // After the wait, the first message that needs the instance tries again and gets the error.
    connecting.catch(() => {})
    await Promise.race([connecting, context.io.wait(MAX_FIRST_WAIT_MS, context.io.signal)])
    return instance
  }

  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Returns what answers this message. A message that needs the instance waits for it, and starts it if it could not start before. */
  async answererOf({ method }: McpMessage): Promise<McpServerSide> {
    if (this.#running === null && NEEDS_INSTANCE.has(method)) await this.#connect()
    if (this.#running !== null) return this.#running
    const { createMcpWithoutInstance } = await import('../../../serve/agent-without-instance.ts')
    return (this.#missing ??= createMcpWithoutInstance(() => Promise.reject(this.#failure)))
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#tryToConnect().finally(() => (this.#connecting = null))
    return this.#connecting
  }

  async #tryToConnect(): Promise<void> {
    try {
      await startIfNone(this.#context)
    } catch (error) {
      if (!isDocsearchError(error, 'unreachable')) throw error
      if (error.message !== this.#failure.message) this.#context.notice(error.message)
      this.#failure = error
      return
    }
    this.#running = (await this.#context.client()).mcp
  }
}

const DEFAULT_PORT = 4747
const TRY_EVERY_MS = 100
/** How long a daemon may take on a busy machine, also one that another process starts: 30 s. */
const MAX_TRIES = 300
/** A daemon listens a moment before it saves the key of the command line. Without a key, the user has logged out. */
const MAX_TRIES_FOR_KEY = 50

/** What to do about a daemon that ended, where its own message names an option that `docsearch mcp` doesn't have. */
const ADVICE: Readonly<Record<string, string>> = {
  port_in_use: "For `docsearch mcp`, set the port as DOCSEARCH_PORT in the agent's settings.",
  cannot_listen: "For `docsearch mcp`, set the port as DOCSEARCH_PORT in the agent's settings.",
  data_unusable: "For `docsearch mcp`, set the folder as DOCSEARCH_DATA in the agent's settings.",
  disk_full: 'Free some space.',
}

/**
 * Starts this user's own daemon if no instance is configured, and when the configured one is the user's own daemon and doesn't run. The daemon
 * keeps running. An instance that a flag, the environment or a profile names is never started. Throws `unreachable` with what is wrong and what to do.
 */
async function startIfNone(context: Context): Promise<void> {
  const { env } = context.io
  const { server, profile } = context.globals
  if (env['DOCSEARCH_TOKEN']) return
  const { from } = await resolveTarget({ env, server, profile })
  if (from !== 'default' && from !== 'local daemon') return
  const dataDir = dataVariable(env) === undefined ? await usualDataDir(env) : resolveDataDir(undefined, env).dir
  if ((await stateOf(context, dataDir)) === 'down') {
    await start(context, dataDir)
    context.notice(`An instance runs with its data in ${dataDir}. Its log: ${logOf(dataDir)}`)
  }
  for (let tries = 0; tries < MAX_TRIES_FOR_KEY && !context.io.signal.aborted; tries++) {
    if ((await stateOf(context, dataDir)) !== 'without a key') return
    await context.io.wait(TRY_EVERY_MS, context.io.signal)
  }
}

async function start(context: Context, dataDir: string): Promise<void> {
  const { env, signal } = context.io
  let launch = launchDaemon(dataDir, env)
  let mayChoosePort = !env['DOCSEARCH_PORT']
  for (let tries = 0; tries < MAX_TRIES && !signal.aborted; tries++) {
    if ((await stateOf(context, dataDir)) !== 'down') return
    const failure = launch.failure()
    // Another process started a daemon at the same moment. That one has the data folder and will listen soon.
    if (failure !== null && failure.code !== 'data_in_use') {
      if (!mayChoosePort || !(await isTaken(DEFAULT_PORT))) throw cannotStart(dataDir, failure)
      mayChoosePort = false
      launch = launchDaemon(dataDir, env, ['--port', '0'])
    }
    await context.io.wait(TRY_EVERY_MS, signal)
  }
  throw cannotStart(dataDir, launch.failure() ?? { code: 'timeout', message: 'It does not answer yet.' })
}

function cannotStart(dataDir: string, { code, message }: LaunchFailure): DocsearchError {
  const advice = ADVICE[code ?? ''] ?? `See its log ${logOf(dataDir)}.`
  return new DocsearchError(
    'unreachable',
    `docsearch could not start an instance on this machine. ${message} ${advice} Then call the tool again.`,
  )
}

async function isTaken(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return false
  } catch {
    return true // EADDRINUSE, or no right to listen: another port may work.
  } finally {
    server.close()
  }
}

async function usualDataDir(env: Context['io']['env']): Promise<string> {
  return (await lastLocalInstance(env))?.dataDir ?? resolveDataDir(undefined, env).dir
}

type State = 'down' | 'without a key' | 'ready'

async function stateOf(context: Context, dataDir: string): Promise<State> {
  const url = daemonOf(dataDir)?.url
  if (typeof url !== 'string') return 'down'
  const address = reachableAddress(url)
  try {
    await (await context.clientWith(null, address)).health()
  } catch (error) {
    // The file of a daemon that crashed is still there, or the daemon is about to listen.
    if (isDocsearchError(error)) return 'down'
    throw error
  }
  return (await (await context.credentials()).get(address)) === null ? 'without a key' : 'ready'
}
