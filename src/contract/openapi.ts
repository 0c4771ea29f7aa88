import { z } from 'zod'
import { SCOPES, type Scope } from '../core/model.ts'
import { problem } from './common.ts'

/** What the outside has to know of an endpoint. http/route.ts adds the handler. */
export interface Operation {
  operationId: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As in OpenAPI: `/api/v1/projects/{id}`. */
  path: string
  tag: string
  summary: string
  description?: string
  /** A scope; `any` credential; `optional`: answers without one too; `public`: a credential changes nothing. */
  access: Scope | 'any' | 'optional' | 'public'
  /** Only for the owner of the instance, whatever the scopes. */
  role?: 'owner'
  /** What `{id}` is. */
  idDescription?: string
  query?: z.ZodType
  /** Query parameters to describe where the handler reads them itself (`content`). */
  documentedQuery?: z.ZodType
  /** A JSON body. */
  body?: z.ZodType
  /** No body is the same as `{}`. */
  bodyOptional?: boolean
  /** A body that is not JSON, in OpenAPI's words; the handler reads it. */
  content?: Record<string, { schema: object; encoding?: object }>
  headers?: Record<string, { description: string; example?: string }>
  answers: Record<number, Answer>
  /** `oauth`: refusals are those of RFC 6749, and stand among the answers. */
  errors?: 'oauth'
  /** Codes of its own; those every endpoint of its kind can give are added here. */
  problems?: readonly string[]
}

export interface Answer {
  description: string
  /** JSON unless `type` says otherwise. */
  schema?: z.ZodType
  type?: string
  headers?: Record<string, string>
}

type Json = Record<string, unknown>

const SCOPE_MEANINGS: Record<Scope, string> = {
  'read:documents': 'Search and read documents',
  'write:documents': 'Upload, change and delete documents',
  'manage:keys': 'Manage API keys and applications',
}

export interface OpenApiDocument extends Json {
  openapi: string
  paths: Record<string, Record<string, Json>>
  components: { schemas: Record<string, Json>; securitySchemes: Json; responses: Json; headers: Json }
}

/**
 * The OpenAPI 3.1 document, from the same schemas that validate requests and that tests hold answers against.
 * `problems` gives the status of each code.
 */
export function openApiDocument(options: {
  version: string
  baseUrl: string
  operations: readonly Operation[]
  problems: Readonly<Record<string, { status: number; means: string }>>
}): OpenApiDocument {
  const schemas: Record<string, Json> = {}
  const paths: OpenApiDocument['paths'] = {}
  reference(problem, 'output', schemas)
  for (const operation of options.operations) {
    const item = (paths[operation.path] ??= {})
    item[operation.method.toLowerCase()] = describe(operation, schemas, options.problems)
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'docsearch',
      version: options.version,
      description:
        'Upload documents, ask in your own words, get the passage with its page. Errors are RFC 9457 problems with a stable `code`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.baseUrl }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key (\`dsk_…\`) or an OAuth 2.0 access token. Scopes: ${SCOPES.join(', ')}.`,
        },
        oauth2: {
          type: 'oauth2',
          description: `An application acts for a user. PKCE with S256; everything else is at ${options.baseUrl}/.well-known/oauth-authorization-server.`,
          flows: {
            authorizationCode: {
              authorizationUrl: `${options.baseUrl}/api/oauth/authorize`,
              tokenUrl: `${options.baseUrl}/api/oauth/token`,
              refreshUrl: `${options.baseUrl}/api/oauth/token`,
              scopes: SCOPE_MEANINGS,
            },
          },
        },
      },
      headers: {
        'X-Request-Id': { description: 'Names this request in the log of the instance', schema: { type: 'string' } },
        'RateLimit-Limit': { description: 'Requests a minute for this credential', schema: { type: 'integer' } },
        'RateLimit-Remaining': { description: 'Requests left', schema: { type: 'integer' } },
        'RateLimit-Reset': { description: 'Seconds until all of them are there again', schema: { type: 'integer' } },
      },
      responses: {},
    },
  }
}

/** Codes an endpoint can answer with: its own and those of its kind. */
export function problemCodes(operation: Operation): string[] {
  const codes = new Set(operation.problems)
  codes.add('host_not_allowed')
  if (operation.errors === 'oauth') return [...codes]
  // Unknown parameters are refused everywhere.
  codes.add('invalid_request')
  if (operation.access !== 'public') codes.add('invalid_token').add('rate_limited').add('unavailable')
  if (operation.access !== 'public' && operation.access !== 'optional') codes.add('unauthorized')
  if (operation.access.includes(':')) codes.add('insufficient_scope')
  if (operation.role !== undefined) codes.add('owner_only')
  if (operation.body !== undefined) codes.add('invalid_json').add('unsupported_media_type').add('body_too_large')
  if (operation.method !== 'GET') codes.add('disk_full')
  codes.add('internal_error')
  return [...codes]
}

function describe(
  operation: Operation,
  schemas: Record<string, Json>,
  problems: Readonly<Record<string, { status: number; means: string }>>,
): Json {
  const responses: Json = {}
  for (const [status, answer] of Object.entries(operation.answers)) responses[status] = success(operation, answer, schemas)
  const byStatus = Object.groupBy(problemCodes(operation), (code) => problems[code]?.status ?? 500)
  for (const [status, codes = []] of Object.entries(byStatus)) {
    if (responses[status] !== undefined) continue
    responses[status] = refusal(Number(status), codes, problems)
  }
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...description(operation),
    security: security(operation),
    parameters: parameters(operation, schemas),
    ...requestBody(operation, schemas),
    responses,
  }
}

function description({ description: text, role }: Operation): Json {
  const parts = [text, role === 'owner' ? 'Only for the owner of the instance.' : undefined].filter((part) => part !== undefined)
  return parts.length === 0 ? {} : { description: parts.join(' ') }
}

function security(operation: Operation): Json[] {
  if (operation.access === 'public') return []
  const scopes = operation.access.includes(':') ? [operation.access] : []
  const either = [{ bearer: scopes }, { oauth2: scopes }]
  return operation.access === 'optional' ? [{}, ...either] : either
}

/** Path, query and header parameters, in OpenAPI's words. */
function parameters(operation: Operation, schemas: Record<string, Json>): Json[] {
  const out: Json[] = []
  if (operation.path.includes('{id}')) {
    out.push({ name: 'id', in: 'path', required: true, description: operation.idDescription ?? 'Id', schema: { type: 'string' } })
  }
  const query = operation.query ?? operation.documentedQuery
  if (query !== undefined) {
    const { properties = {}, required = [] } = reference(query, 'input', schemas) as {
      properties?: Record<string, Json>
      required?: string[]
    }
    for (const [name, { description, ...schema }] of Object.entries(properties)) {
      out.push({
        name,
        in: 'query',
        required: required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema,
      })
    }
  }
  for (const [name, { description, example }] of Object.entries(operation.headers ?? {})) {
    out.push({
      name,
      in: 'header',
      required: false,
      description,
      ...(example === undefined ? {} : { example }),
      schema: { type: 'string' },
    })
  }
  return out
}

function requestBody(operation: Operation, schemas: Record<string, Json>): Json {
  if (operation.content !== undefined) return { requestBody: { required: true, content: operation.content } }
  if (operation.body === undefined) return {}
  return {
    requestBody: {
      required: operation.bodyOptional !== true,
      content: { 'application/json': { schema: reference(operation.body, 'input', schemas) } },
    },
  }
}

function success(operation: Operation, answer: Answer, schemas: Record<string, Json>): Json {
  const headers: Json = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } }
  if (operation.access !== 'public') {
    for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'])
      headers[name] = { $ref: `#/components/headers/${name}` }
  }
  for (const [name, description] of Object.entries(answer.headers ?? {}))
    headers[name] = { description, schema: { type: 'string' } }
  const type = answer.type ?? 'application/json'
  const schema =
    answer.schema === undefined
      ? answer.type === undefined
        ? null
        : { type: 'string' }
      : reference(answer.schema, 'output', schemas)
  return { description: answer.description, headers, ...(schema === null ? {} : { content: { [type]: { schema } } }) }
}

function refusal(
  status: number,
  codes: readonly string[],
  problems: Readonly<Record<string, { status: number; means: string }>>,
): Json {
  const headers: Json = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } }
  if (status === 429 || status === 503) headers['Retry-After'] = { description: 'Seconds', schema: { type: 'integer' } }
  if (status === 401 || status === 403)
    headers['WWW-Authenticate'] = { description: 'RFC 6750, with resource_metadata', schema: { type: 'string' } }
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

/** A schema as OpenAPI wants it: those with an id of their own stand once under components. */
function reference(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, Json>): Json {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & {
    $defs?: Record<string, Json>
  }
  for (const [id, definition] of Object.entries($defs)) schemas[id] = clean(definition)
  const id = schema.meta()?.['id']
  if (typeof id !== 'string' || root['$ref'] !== undefined) return clean(root)
  schemas[id] = clean(root)
  return { $ref: `#/components/schemas/${id}` }
}

/** Without zod's own marks, and with its references pointing to components. */
function clean(value: Json): Json {
  const visit = (at: unknown): unknown => {
    if (Array.isArray(at)) return at.map(visit)
    if (at === null || typeof at !== 'object') return at
    const out: Json = {}
    for (const [key, inner] of Object.entries(at)) {
      if (key === '$schema' || key === '~standard') continue
      // zod writes the name of a schema as `id`, which JSON Schema does not know; a property named id is an object.
      if (key === 'id' && typeof inner === 'string') continue
      out[key] = key === '$ref' && typeof inner === 'string' ? inner.replace('#/$defs/', '#/components/schemas/') : visit(inner)
    }
    return out
  }
  return visit(value) as Json
}
