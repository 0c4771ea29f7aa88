import type { OpenApiDocument } from '../../../contract/openapi.ts'
import type { Operation } from '../../../contract/operation.ts'
import type { Dependencies } from '../../dependencies.ts'
import { PROBLEMS } from '../../problems/problems.ts'
import { route, type Route } from '../../routing/route.ts'

const tag = 'Instance'
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The description of the API as a document and as a page. `operations` returns the whole table, these routes included. */
export function docsRoutes(
  { settings, version }: Pick<Dependencies, 'settings' | 'version'>,
  operations: () => readonly Operation[],
): Route[] {
  // Loaded on demand, like the page: few requests need it, and every module loaded at the start makes the start slower.
  const describe = async (): Promise<OpenApiDocument> => {
    const { openApiDocument } = await import('../../../contract/openapi.ts')
    return openApiDocument({ version, baseUrl: settings.baseUrl(), operations: operations(), problems: PROBLEMS })
  }

  return [
    route({
      operationId: 'getOpenApi',
      method: 'GET',
      path: '/api/openapi.json',
      tag,
      summary: 'Describe the API as OpenAPI 3.1',
      access: 'public',
      answers: { 200: { description: 'The OpenAPI document', type: 'application/json' } },
      async handle({ ctx }) {
        ctx.set('Cache-Control', 'public, max-age=300')
        ctx.body = await describe()
      },
    }),
    route({
      operationId: 'getDocs',
      method: 'GET',
      path: '/api/docs',
      tag,
      summary: 'Describe the API as a page',
      access: 'public',
      answers: { 200: { description: 'The page', type: 'text/html; charset=utf-8' } },
      async handle({ ctx }) {
        const { renderApiDocs } = await import('../../../pages/api-docs.tsx')
        ctx.set('Cache-Control', 'public, max-age=300')
        ctx.set('Content-Security-Policy', PAGE_POLICY)
        ctx.type = 'text/html; charset=utf-8'
        ctx.body = renderApiDocs(await describe(), PROBLEMS)
      },
    }),
    route({
      operationId: 'getDocsStyle',
      method: 'GET',
      path: '/api/docs/style.css',
      tag,
      summary: 'Style sheet of the API page',
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
