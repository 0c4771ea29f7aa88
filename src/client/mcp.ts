import { ClientError } from './errors.ts'
import { readAll } from './transport.ts'
import type { Transport } from './transport.ts'

/** A message of the Model Context Protocol. */
export type McpMessage = Record<string, unknown>

const VERSION_META = 'io.modelcontextprotocol/protocolVersion'

/** Answers messages. */
export interface McpServerSide {
  /** For messages to the user. */
  address: string
  /** Returns the text of the answer. */
  exchange(message: McpMessage, headers: Record<string, string>, signal: AbortSignal): Promise<string>
}

/** Sends messages to `/mcp` of an instance. */
export function mcpOf(transport: Transport): McpServerSide {
  const { address } = transport
  return {
    address,
    async exchange(message, headers, signal) {
      const answer = await transport.open({ method: 'POST', path: '/mcp', json: message, headers, signal, accept: ACCEPT })
      return readAll(answer, address, signal)
    },
  }
}

/**
 * Sends the messages of one agent. An agent of 2025 agrees on a revision once, so there is one session for each agent, also when another side
 * answers later. A request of 2026 names its revision itself.
 */
export class McpSession {
  #version: string | undefined

  /** Returns the instance's answer; null for a message that gets none. Throws ClientError when there is no answer of the protocol. */
  async send(message: McpMessage, to: McpServerSide, signal: AbortSignal): Promise<McpMessage | null> {
    try {
      const text = await to.exchange(message, this.#headersOf(message), signal)
      if (text === '') return null
      return this.#learnVersion(parse(text) ?? noAnswer(to.address))
    } catch (error) {
      // The protocol has answers with an HTTP status of an error.
      if (error instanceof ClientError && error.details['jsonrpc'] === '2.0') return error.details
      throw error
    }
  }

  /** The headers repeat parts of the message, so that proxies need not read it (revision 2026-07-28, Streamable HTTP). */
  #headersOf({ method, params }: McpMessage): Record<string, string> {
    const { _meta: meta, name, uri } = record(params)
    const own = record(meta)[VERSION_META]
    if (typeof own !== 'string') return this.#version === undefined ? {} : { 'MCP-Protocol-Version': headerValue(this.#version) }
    const named = typeof name === 'string' ? name : uri
    return {
      'MCP-Protocol-Version': headerValue(own),
      ...(typeof method === 'string' && { 'Mcp-Method': headerValue(method) }),
      ...(typeof named === 'string' && { 'Mcp-Name': headerValue(named) }),
    }
  }

  #learnVersion(answer: McpMessage): McpMessage {
    const { protocolVersion } = record(answer['result'])
    if (typeof protocolVersion === 'string') this.#version = protocolVersion
    return answer
  }
}

const ACCEPT = 'application/json, text/event-stream'

/** Returns a text as it can be in a header: printable ASCII as it is, and everything else in base64. */
function headerValue(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function parse(text: string): McpMessage | null {
  try {
    const value: unknown = JSON.parse(text)
    return record(value)['jsonrpc'] === '2.0' ? (value as McpMessage) : null
  } catch {
    return null // The caller throws `invalid_answer` with the address.
  }
}

function noAnswer(address: string): never {
  throw new ClientError('invalid_answer', `${address} does not serve agents. Update docsearch there, or check the address.`)
}
