import type { McpMessage, McpServerSide } from '../../../client/mcp.ts'
import { DocsearchError, isDocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { startIfNone } from './start-if-none.ts'

/** Some agents give up after 10 s without an answer to their first message. */
const MAX_FIRST_WAIT_MS = 5_000
/** Messages that only the instance can answer. */
const NEEDS_INSTANCE: ReadonlySet<unknown> = new Set(['tools/call', 'resources/read'])

/** The instance of an agent, which may still be starting, or unable to start. */
export class AgentInstance {
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
