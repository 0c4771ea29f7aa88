import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiRequestBodyObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import type { Scope } from '../core/model.ts'
import { problem } from './common.ts'
import { problemCodes, type Answer, type Operation } from './operation.ts'

/** The document with the parts that are always present. */
export type OpenApiDocument = ReturnType<typeof createDocument> & {
  paths: Record<string, Record<string, object>>
  components: { schemas: Record<string, object> }
}
type Problems = Readonly<Record<string, { status: number; means: string }>>
type Security = NonNullable<ZodOpenApiOperationObject['security']>
type Headers = Record<string, { description: string; schema: { type: 'string' | 'integer' } } | { $ref: string }>

const SCOPE_MEANINGS: Record<Scope, string> = {
  'read:documents': 'Search and read documents',
  'write:documents': 'Upload, change and delete documents',
  'manage:keys': 'Manage API keys and applications',
}

const SHARED_HEADERS: Headers = {
  'X-Request-Id': { description: 'The ID of this request, as in the server log', schema: { type: 'string' } },
  'RateLimit-Limit': {
    description:
      'The limit of requests a minute that has the fewest requests left: either the limit of the credential, or the limit of all credentials of its user',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': { description: 'Requests left under this limit', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until all requests are available again', schema: { type: 'integer' } },
}

/** Returns the OpenAPI 3.1 document, made from the schemas that also validate the requests. `problems` has the status of each code. */
export function openApiDocument(options: {
  version: string
  baseUrl: string
  operations: readonly Operation[]
  problems: Problems
}): OpenApiDocument {
  const { version, baseUrl, operations, problems } = options
  const paths: ZodOpenApiPathsObject = {}
  for (const operation of operations) {
    const item = (paths[operation.path] ??= {})
    item[operation.method.toLowerCase() as Lowercase<Operation['method']>] = describe(operation, problems)
  }
  return createDocument({
    openapi: '3.1.1',
    info: {
      title: 'docsearch',
      version,
      description:
        'Upload documents, ask in your own words, and get passages with their pages. Errors are RFC 9457 problems with a stable `code`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    paths,
    components: { schemas: { Problem: problem }, securitySchemes: securitySchemes(baseUrl), headers: SHARED_HEADERS },
  }) as OpenApiDocument
}

function securitySchemes(baseUrl: string) {
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API key (`dsk_…`) or an OAuth 2.0 access token. Scopes: read:documents, write:documents, manage:keys and, for API keys of the owner only, read:metrics.',
    },
    oauth2: {
      type: 'oauth2',
      description: `An application acts for a user, through PKCE with S256. ${baseUrl}/.well-known/oauth-authorization-server has the metadata.`,
      flows: {
        authorizationCode: {
          authorizationUrl: `${baseUrl}/api/oauth/authorize`,
          tokenUrl: `${baseUrl}/api/oauth/token`,
          refreshUrl: `${baseUrl}/api/oauth/token`,
          scopes: SCOPE_MEANINGS,
        },
      },
    },
  } as const
}

function describe(operation: Operation, problems: Problems): ZodOpenApiOperationObject {
  const responses: ZodOpenApiOperationObject['responses'] = {}
  const byStatus = Object.groupBy(problemCodes(operation), (code) => problems[code]?.status ?? 500)
  for (const [status, codes = []] of Object.entries(byStatus))
    responses[status as '400'] = refusal(Number(status), codes, problems)
  // An answer of the operation itself replaces the refusal with the same status.
  for (const [status, answer] of Object.entries(operation.answers)) responses[status as '200'] = success(operation, answer)
  const description = [operation.description, operation.role === 'owner' ? 'Only for the owner of the instance.' : undefined]
    .filter((part) => part !== undefined)
    .join(' ')
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...(description === '' ? {} : { description }),
    security: security(operation),
    requestParams: parameters(operation),
    ...requestBody(operation),
    responses,
  }
}

function security({ access }: Operation): Security {
  if (access === 'public') return []
  const scopes = access.includes(':') ? [access] : []
  const either = [{ bearer: scopes }, { oauth2: scopes }]
  return access === 'optional' ? [{}, ...either] : either
}

function parameters({ path, idDescription, pathDescriptions = {}, query, documentedQuery, headers = {} }: Operation) {
  const descriptions: Readonly<Record<string, string>> = { id: idDescription ?? 'ID', ...pathDescriptions }
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => {
    return [name, z.string().meta({ description: descriptions[name] ?? '' })] as const
  })
  const shownQuery = query ?? documentedQuery
  const header = Object.entries(headers).map(([name, { description, example }]) => {
    const param = { description, ...(example === undefined ? {} : { example }) }
    return [name, z.string().optional().meta({ param })] as const
  })
  return {
    ...(inPath.length > 0 ? { path: z.object(Object.fromEntries(inPath)) } : {}),
    ...(shownQuery === undefined ? {} : { query: shownQuery }),
    header: z.object(Object.fromEntries(header)),
  }
}

function requestBody({ content, body, bodyOptional }: Operation): { requestBody?: ZodOpenApiRequestBodyObject } {
  if (content !== undefined) return { requestBody: { required: bodyOptional !== true, content } }
  if (body === undefined) return {}
  return { requestBody: { required: bodyOptional !== true, content: { 'application/json': { schema: body } } } }
}

function success({ access }: Operation, { description, schema, type, headers = {} }: Answer): ZodOpenApiResponseObject {
  const shared = Object.keys(SHARED_HEADERS).filter((name) => name === 'X-Request-Id' || access !== 'public')
  const own = Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: 'string' } }] as const)
  const body = schema ?? (type === undefined ? undefined : ({ type: 'string' } as const))
  return {
    description,
    headers: { ...references(shared), ...Object.fromEntries(own) },
    ...(body === undefined ? {} : { content: { [type ?? 'application/json']: { schema: body } } }),
  }
}

function refusal(status: number, codes: string[], problems: Problems): ZodOpenApiResponseObject {
  const headers: Headers = references(['X-Request-Id'])
  if (status === 429 || status === 503) headers['Retry-After'] = { description: 'Seconds', schema: { type: 'integer' } }
  if (status === 401 || status === 403)
    headers['WWW-Authenticate'] = {
      description: 'RFC 6750, with the scope that the operation needs and resource_metadata',
      schema: { type: 'string' },
    }
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code]?.means ?? ''}`).join(' '),
    headers,
    content: {
      'application/problem+json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] },
      },
    },
  }
}

function references(names: readonly string[]): Headers {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
