import { createInterface } from 'node:readline'
import { type McpMessage, McpSession, type McpServerSide } from '../../../client/mcp.ts'
import { DocsearchError, isDocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { cancelled, EXIT } from '../../exit.ts'
import { startIfNone } from './start-if-none.ts'

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
