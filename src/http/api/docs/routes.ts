import type { Operation } from '../../../contract/operation.ts'
import { basePathOf, withBasePath } from '../../middleware/base-path.ts'
import { fixedAnswer, memoize, sendFixed } from '../../answers/fixed.ts'
import type { Dependencies } from '../../dependencies.ts'
import { PROBLEMS } from '../../problems/problems.ts'
import { routesWith, type Route } from '../../routing/route.ts'

const route = routesWith({
  method: 'GET',
  tag: 'Instance',
  access: 'public',
  cost: 'anonymous',
  headers: { 'If-None-Match': { description: 'The ETag of your copy. The answer is 304 if your copy is current' } },
})

const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const CACHE_CONTROL = 'public, max-age=300'

/**
 * The description of the API for programs and for readers. `operations` returns the whole table, these routes included. Both are
 * made at the first request, because they contain the base URL, which is known by then and never changes.
 */
export function docsRoutes(
  { settings, version }: Pick<Dependencies, 'settings' | 'version'>,
  operations: () => readonly Operation[],
): Route[] {
  // Loaded on demand, like the page: few requests need it, and every module loaded at the start makes the start slower.
  const describe = async () => {
    const { openApiDocument } = await import('../../../contract/openapi.ts')
    return openApiDocument({ version, baseUrl: settings.baseUrl(), operations: operations(), problems: PROBLEMS })
  }
  const document = memoize(async () => fixedAnswer('application/json; charset=utf-8', JSON.stringify(await describe())))
  const page = memoize(async () => {
    const { renderApiDocs } = await import('../../../pages/api-docs.tsx')
    return fixedAnswer(
      'text/html; charset=utf-8',
      withBasePath(renderApiDocs(await describe(), PROBLEMS), basePathOf(settings.baseUrl())),
    )
  })
  const style = memoize(async () => {
    const { API_DOCS_STYLE } = await import('../../../pages/api-docs-style.ts')
    return fixedAnswer('text/css; charset=utf-8', API_DOCS_STYLE)
  })

  return [
    route({
      operationId: 'getOpenApi',
      path: '/api/openapi.json',
      summary: 'Describe the API as OpenAPI 3.1',
      answers: answers('The OpenAPI document', 'application/json'),
      async handle({ ctx }) {
        await sendFixed(ctx, await document(), CACHE_CONTROL)
      },
    }),
    route({
      operationId: 'getDocs',
      path: '/api/docs',
      summary: 'Describe the API as a page',
      answers: answers('The page', 'text/html; charset=utf-8'),
      async handle({ ctx }) {
        ctx.set('Content-Security-Policy', PAGE_POLICY)
        await sendFixed(ctx, await page(), CACHE_CONTROL)
      },
    }),
    route({
      operationId: 'getDocsStyle',
      path: '/api/docs/style.css',
      summary: 'Style sheet of the API page',
      answers: answers('CSS', 'text/css; charset=utf-8'),
      async handle({ ctx }) {
        await sendFixed(ctx, await style(), CACHE_CONTROL)
      },
    }),
  ]
}

function answers(description: string, type: string): Operation['answers'] {
  return { 200: { description, type, headers: { ETag: 'Changes with the content' } }, 304: { description: 'Unchanged' } }
}
