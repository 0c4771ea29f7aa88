import type { OpenApiDocument } from '../../../contract/openapi.ts'
import type { Operation } from '../../../contract/operation.ts'
import { PROBLEMS } from '../../problems.ts'
import { route, type Route } from '../../route.ts'
import type { Services } from '../../services.ts'

const tag = 'Instance'
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The description of the API, for programs and for people; made from the table it is part of. */
export function docsRoutes(table: () => readonly (Route | Operation)[]): Route[] {
  const describe = async (services: Services): Promise<OpenApiDocument> => {
    const { openApiDocument } = await import('../../../contract/openapi.ts')
    const { version, http } = services
    // A limit is described as it is configured here.
    const operations = table().map((row) =>
      'bodyFor' in row && row.bodyFor !== undefined ? { ...row, body: row.bodyFor(services) } : row,
    )
    return openApiDocument({ version, baseUrl: http.baseUrl(), operations, problems: PROBLEMS })
  }

  return [
    route({
      operationId: 'getOpenApi',
      method: 'GET',
      path: '/api/openapi.json',
      tag,
      summary: 'This description, as OpenAPI 3.1',
      access: 'public',
      answers: { 200: { description: 'The OpenAPI document', type: 'application/json' } },
      async handle({ ctx, services }) {
        ctx.set('Cache-Control', 'public, max-age=300')
        ctx.body = await describe(services)
      },
    }),
    route({
      operationId: 'getDocs',
      method: 'GET',
      path: '/api/docs',
      tag,
      summary: 'This description, as a page',
      access: 'public',
      answers: { 200: { description: 'The page', type: 'text/html; charset=utf-8' } },
      async handle({ ctx, services }) {
        // Loaded late: few requests need it, and start-up is what gets loaded.
        const { renderApiDocs } = await import('../../../pages/api-docs.tsx')
        ctx.set('Cache-Control', 'public, max-age=300')
        ctx.set('Content-Security-Policy', PAGE_POLICY)
        ctx.type = 'text/html; charset=utf-8'
        ctx.body = renderApiDocs(await describe(services), PROBLEMS)
      },
    }),
    route({
      operationId: 'getDocsStyle',
      method: 'GET',
      path: '/api/docs/style.css',
      tag,
      summary: 'Style sheet of that page',
      access: 'public',
      answers: { 200: { description: 'CSS', type: 'text/css; charset=utf-8' } },
      async handle({ ctx }) {
        const { API_DOCS_STYLE } = await import('../../../pages/api-docs-style.ts')
        ctx.set('Cache-Control', 'public, max-age=300')
        ctx.type = 'text/css; charset=utf-8'
        ctx.body = API_DOCS_STYLE
      },
    }),
  ]
}
