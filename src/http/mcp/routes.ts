import type { Logger } from '../../core/logger.ts'
import { createMcp } from '../../mcp/server.ts'
import { createTools } from '../../mcp/tools.ts'
import { readText } from '../body.ts'
import type { AppParts } from '../dependencies.ts'
import { sinceArrival, requireCredentialOnArrival } from '../middleware/credential-watch.ts'
import { fail, shownError } from '../problems/problems.ts'
import type { Ctx } from '../routing/context.ts'
import { route, type Route } from '../routing/route.ts'

export const MCP_PATH = '/mcp'
/** Arguments of tools are short. */
const MAX_BYTES = 100_000
/** The whole answer is JSON, so a client that says nothing about event streams is served as well. */
const ACCEPT = 'application/json, text/event-stream'

type Parts = Pick<AppParts, 'search' | 'documents' | 'projects' | 'settings' | 'credentials' | 'log' | 'version'>

const message = {
  type: 'object',
  properties: { jsonrpc: { const: '2.0' }, id: {}, method: { type: 'string' }, params: { type: 'object' } },
  required: ['jsonrpc'],
}

/** The Model Context Protocol for agents. mcp/ answers the messages; this route says who calls. */
export function mcpRoutes({ search, documents, projects, settings, credentials, log, version }: Parts): Route[] {
  const { baseUrl } = settings
  const mcp = createMcp(createTools({ search, documents, projects, baseUrl: () => baseUrl() }), version)
  return [
    route({
      operationId: 'mcp',
      method: 'POST',
      path: MCP_PATH,
      tag: 'MCP',
      summary: 'Serve an agent with the Model Context Protocol',
      description:
        'Streamable HTTP in the revision 2026-07-28 and those of 2025, without sessions. The tools are `search`, `fetch` (also ' +
        '`get_document`) and `list_projects`. Roles, scopes and project limits apply as in the API. A token that was issued for ' +
        'another resource (RFC 8707) is refused.',
      access: 'read:documents',
      resource: MCP_PATH,
      content: { 'application/json': { schema: message } },
      answers: {
        200: { description: 'The answer to the message', type: 'application/json' },
        202: { description: 'The message needs no answer' },
      },
      problems: ['body_too_large', 'invalid_request', 'origin_not_allowed'],
      async handle({ ctx, actor, gone }) {
        checkOrigin(ctx.get('Origin'), baseUrl())
        const text = await readText(ctx.req, MAX_BYTES)
        if (text === null) throw fail('body_too_large', `The body is longer than the limit of ${MAX_BYTES} bytes.`)
        await requireCredentialOnArrival(ctx, credentials)
        const body = parseMessage(text)
        const request = new Request(baseUrl() + MCP_PATH, { method: 'POST', headers: headersOf(ctx), body: text, signal: gone })
        const asked = { actor, gone, explain: explainer(ctx, log) }
        const response = await sinceArrival(ctx, () => mcp.handle(request, body, asked))
        gone.throwIfAborted()
        await sendResponse(ctx, response)
      },
    }),
  ]
}

/** Browsers send Origin. A page of another origin must not reach an instance on its visitor's machine. */
function checkOrigin(origin: string, baseUrl: string): void {
  if (origin === '' || origin === new URL(baseUrl).origin) return
  throw fail('origin_not_allowed', 'Pages of another origin may not call this endpoint. Connect a program instead of a web page.')
}

/** Returns undefined for a text that is not JSON; mcp/ answers that in the protocol's own form. */
function parseMessage(text: string): unknown {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  // A batch would count as one request, whatever it costs. The protocol dropped batches in the revision 2025-06-18.
  if (Array.isArray(parsed)) throw fail('invalid_request', 'Send each message in a request of its own.')
  return parsed
}

function headersOf(ctx: Ctx): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': ctx.get('Content-Type'), accept: ACCEPT }
  for (const [name, value] of Object.entries(ctx.req.headers))
    if (name.startsWith('mcp-') && typeof value === 'string') headers[name] = value
  return headers
}

function explainer(ctx: Ctx, log: Logger): (error: unknown) => string {
  return (error) => {
    const { status, detail } = shownError(error)
    if (status >= 500) log.error({ request_id: ctx.state.requestId, route: MCP_PATH, err: error }, 'request failed')
    return detail
  }
}

async function sendResponse(ctx: Ctx, response: Response): Promise<void> {
  const text = await response.text()
  ctx.status = response.status
  ctx.body = text === '' ? null : text
  // Koa changes the status for a body of null.
  ctx.status = response.status
  for (const [name, value] of response.headers) if (name === 'content-type' || name.startsWith('mcp-')) ctx.set(name, value)
}
