import type { McpMessage, McpServerSide } from '../client/mcp.ts'
import { isDocsearchError } from '../core/errors.ts'
import { createMcp } from '../mcp/server.ts'
import { actorOf } from '../services/access.ts'
import { VERSION } from './version.ts'

const ACCEPT = 'application/json, text/event-stream'
const NOBODY = actorOf({ id: '', role: 'member' }, [])

/**
 * Answers an agent whose instance does not run, as the instance would: the agent learns which tools there are, and each call fails with the
 * error of `fail`.
 */
export function createMcpWithoutInstance(fail: () => Promise<never>): McpServerSide {
  const tools = { search: fail, fetch: fail, listProjects: fail, page: fail }
  const mcp = createMcp(tools, VERSION)
  return {
    address: 'docsearch mcp',
    async exchange(message: McpMessage, headers: Record<string, string>, gone: AbortSignal) {
      const request = new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: ACCEPT, ...headers },
        body: JSON.stringify(message),
        signal: gone,
      })
      return (await mcp.handle(request, message, { actor: NOBODY, gone, explain })).text()
    },
  }
}

function explain(error: unknown): string {
  return isDocsearchError(error) ? error.message : String(error)
}
