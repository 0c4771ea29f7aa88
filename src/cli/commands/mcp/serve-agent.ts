import { createInterface } from 'node:readline'
import { type McpMessage, McpSession } from '../../../client/mcp.ts'
import { DocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { cancelled, EXIT } from '../../exit.ts'
import { AgentInstance } from './agent-instance.ts'

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
