import {
  type CallToolResult,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { isDocsearchError, type ErrorCode } from '../core/errors.ts'
import { fetchInput, fetchOutput, projectsInput, projectsOutput, searchInput, searchOutput } from './schemas.ts'
import type { ToolCall, Tools } from './tools.ts'

const ANNOTATIONS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
/** The lists of tools and templates change only with a new version. */
const LISTS = { ttlMs: 300_000, cacheScope: 'private' } as const

const INSTRUCTIONS = [
  "docsearch searches the user's own documents.",
  'Call search with a question in plain words. Each result is a passage with its page.',
  'If a passage is not enough, call fetch with its id, which returns the document from that page on.',
  'Cite the url of what you use.',
].join(' ')

export interface McpServerOptions {
  tools: Tools
  version: string
  /** Returns the part of an error that a caller may see, and logs what is the instance's fault. */
  explain(error: unknown): string
}

/** Returns an MCP server for one request. Its tools act on behalf of the caller. */
export function createMcpServer({ tools, version, explain }: McpServerOptions, call: ToolCall): McpServer {
  const server = new McpServer(
    { name: 'docsearch', title: 'docsearch', version },
    {
      instructions: INSTRUCTIONS,
      capabilities: { tools: {}, resources: {} },
      cacheHints: { 'tools/list': LISTS, 'resources/list': LISTS, 'resources/templates/list': LISTS, 'server/discover': LISTS },
    },
  )

  async function answer(work: () => Promise<Record<string, unknown>>): Promise<CallToolResult> {
    try {
      const structuredContent = await work()
      call.gone.throwIfAborted()
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    } catch (error) {
      call.gone.throwIfAborted()
      return { content: [{ type: 'text', text: adviceFor(error, explain(error)) }], isError: true }
    }
  }

  // The order is part of the protocol's promise: clients cache the list.
  server.registerTool(
    'search',
    {
      title: 'Search documents',
      description: "Finds passages in the user's documents by meaning and by words. Returns the best passages with their pages.",
      inputSchema: searchInput,
      outputSchema: searchOutput,
      annotations: ANNOTATIONS,
    },
    (input) => answer(() => tools.search(input, call)),
  )
  for (const [name, description] of [
    ['fetch', 'Returns the text of a document, page by page. `next` in the answer says how to get the rest.'],
    ['get_document', 'The same as fetch.'],
  ] as const)
    server.registerTool(
      name,
      {
        title: 'Read a document',
        description,
        inputSchema: fetchInput,
        outputSchema: fetchOutput,
        annotations: ANNOTATIONS,
      },
      (input) => answer(() => tools.fetch(input, call)),
    )
  server.registerTool(
    'list_projects',
    {
      title: 'List projects',
      description: 'Lists the projects that the user may search, with the number of their documents.',
      inputSchema: projectsInput,
      outputSchema: projectsOutput,
      annotations: ANNOTATIONS,
    },
    () => answer(() => tools.listProjects(call)),
  )
  registerPages(server, tools, { call, explain })
  return server
}

function registerPages(
  server: McpServer,
  tools: Tools,
  { call, explain }: { call: ToolCall; explain: McpServerOptions['explain'] },
): void {
  server.registerResource(
    'page',
    new ResourceTemplate('docsearch://documents/{id}/pages/{n}', { list: undefined }),
    { title: 'Page of a document', description: 'The extracted text of one page', mimeType: 'text/plain' },
    async ({ href }, { id, n }) => {
      try {
        const text = await tools.page(String(id), Number(n), call)
        call.gone.throwIfAborted()
        return { contents: [{ uri: href, mimeType: 'text/plain', text }] }
      } catch (error) {
        call.gone.throwIfAborted()
        if (isDocsearchError(error, 'document_not_found') || isDocsearchError(error, 'page_not_found'))
          throw new ResourceNotFoundError(href, adviceFor(error, error.message))
        throw new Error(adviceFor(error, explain(error)), { cause: error })
      }
    },
  )
}

/** What a model should do next. The error's own message says what happened. */
const ADVICE: { readonly [C in ErrorCode]?: string } = {
  document_not_found: 'Use an id from a result of the tool search, exactly as it is there.',
  page_not_found: 'Call fetch without pages to read from the beginning.',
  project_not_found: 'Call list_projects for the projects that you may search, or leave project out to search all of them.',
  ambiguous_name: 'Call the tool again with one of these IDs as project.',
  text_not_ready: 'Tell the user that the document cannot be read yet, or try again in a minute.',
  invalid_query: 'Change the query and search again.',
  unavailable: 'Wait a few seconds and try once more. If it fails again, tell the user.',
}

/** Returns the sentence for a model about a failed call. `shown` is the part of the error that a caller may see. */
function adviceFor(error: unknown, shown: string): string {
  const advice = isDocsearchError(error) ? ADVICE[error.code] : undefined
  return advice === undefined ? shown : `${shown} ${advice}`
}

interface Mcp {
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
