import { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { createMcpServer, type McpServerOptions } from './server.ts'
import type { ToolCall, Tools } from './tools.ts'

export interface Mcp {
  /**
   * Answers one message of the protocol (Streamable HTTP), in the revision 2026-07-28 or one of 2025. Keeps nothing between requests.
   * Every answer is JSON of a bounded size. `body` is the parsed body of the request, or undefined if it is not JSON.
   */
  handle(request: Request, body: unknown, call: ToolCall & Pick<McpServerOptions, 'explain'>): Promise<Response>
}

export function createMcp(tools: Tools, version: string): Mcp {
  return {
    async handle(request, parsedBody, { explain, ...call }) {
      const server = () => createMcpServer({ tools, version, explain }, call)
      const parsed = parsedBody === undefined ? {} : { parsedBody }
      if (await isLegacyRequest(request.clone(), parsedBody)) {
        // createMcpHandler would answer requests of 2025 with an event stream, for messages that docsearch never sends.
        const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
        const legacy = server()
        await legacy.connect(transport)
        try {
          return await transport.handleRequest(request, parsed)
        } finally {
          await legacy.close()
        }
      }
      // No list ever changes while docsearch runs, so there is nothing to subscribe to.
      let failure: unknown
      const modern = createMcpHandler(server, {
        legacy: 'reject',
        maxSubscriptions: 0,
        onerror: (error) => (failure = error),
      })
      try {
        const response = await modern.fetch(request, parsed)
        // Most failures are the client's, and the answer says what they are.
        if (response.status >= 500) explain(failure)
        return response
      } finally {
        await modern.close()
      }
    },
  }
}
