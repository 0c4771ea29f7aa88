import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { OpenApiDocument } from '../contract/openapi.ts'
import { assetUrl } from './assets.ts'
import { paths } from './paths.ts'

/** The parts of an OpenAPI operation that this page uses. */
interface DocumentedOperation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Response>
}

interface Response {
  description: string
  content?: Record<string, { schema: Schema }>
}

interface Endpoint extends Omit<DocumentedOperation, 'responses'> {
  method: string
  path: string
  /** `problems` are the error codes of a response. */
  responses: Record<string, Response & { problems?: string[] }>
}

type Problems = Readonly<Record<string, { status: number; means: string }>>

/** Renders the OpenAPI document as one HTML page that needs no script. */
export function renderApiDocs(document: OpenApiDocument, problems: Problems): string {
  return `<!doctype html>${renderToString(<ApiDocs document={document} problems={problems} />)}`
}

function ApiDocs({ document, problems }: { document: OpenApiDocument; problems: Problems }) {
  const endpoints = endpointsOf(document)
  const tags = [...new Set(endpoints.flatMap((endpoint) => endpoint.tags))]
  const ofTag = (tag: string) => endpoints.filter((endpoint) => endpoint.tags.includes(tag))
  const { servers, info } = document as unknown as { servers: { url: string }[]; info: { version: string } }
  const base = servers[0]?.url ?? ''
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>docsearch API</title>
        <link rel="icon" type="image/svg+xml" href={assetUrl('logo.svg')} />
        <link rel="stylesheet" href="/api/docs/style.css" />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the endpoints
        </a>
        <header>
          <p>
            <a class="home" href={paths.home}>
              <img src={assetUrl('logo.svg')} alt="" width="24" height="24" />
              docsearch
            </a>
          </p>
          <h1>docsearch API</h1>
          <p>
            Version {info.version} at <code>{base}</code>. For programs: <a href="/api/openapi.json">openapi.json</a>.
          </p>
        </header>
        <nav aria-label="Operations">
          {tags.map((tag) => (
            <details>
              <summary>{tag}</summary>
              <ul>
                {ofTag(tag).map(({ operationId, summary }) => (
                  <li>
                    <a href={`#${operationId}`}>{summary}</a>
                  </li>
                ))}
              </ul>
            </details>
          ))}
          <a href="#problems">Errors</a>
        </nav>
        <main id="main">
          <Intro base={base} />
          {tags.map((tag) => (
            <section aria-labelledby={slug(tag)}>
              <h2 id={slug(tag)}>{tag}</h2>
              {ofTag(tag).map((endpoint) => (
                <Operation endpoint={endpoint} base={base} schemas={document.components.schemas as Record<string, Schema>} />
              ))}
            </section>
          ))}
          <ProblemList problems={problems} />
        </main>
      </body>
    </html>
  )
}

function Intro({ base }: { base: string }) {
  return (
    <section>
      <p>Send an API key or an access token in the Authorization header of each request. This uploads a file and searches it:</p>
      <pre tabIndex={0}>
        {`curl -H "Authorization: Bearer $DOCSEARCH_TOKEN" -H "Prefer: wait=30" \\
     -F file=@contract.pdf ${base}/api/v1/upload

curl -H "Authorization: Bearer $DOCSEARCH_TOKEN" -H "Content-Type: application/json" \\
     -d '{"query": "notice period"}' ${base}/api/v1/search`}
      </pre>
    </section>
  )
}

function Operation({ endpoint, base, schemas }: { endpoint: Endpoint; base: string; schemas: Record<string, Schema> }) {
  return (
    <article id={endpoint.operationId}>
      <h3>
        <span class={`method ${endpoint.method.toLowerCase()}`}>{endpoint.method}</span> <code>{breakable(endpoint.path)}</code>
      </h3>
      <p class="summary">
        {endpoint.summary}. <span class="scope">{accessOf(endpoint)}</span>
      </p>
      {endpoint.description === undefined ? null : <p>{withCode(endpoint.description)}</p>}
      {(endpoint.parameters ?? []).length === 0 ? null : (
        <Disclosure title="Parameters">
          <dl>
            {(endpoint.parameters ?? []).map(({ name, in: place, required, description, schema }) => (
              <>
                <dt>
                  <code>{name}</code>{' '}
                  <small>
                    {place}
                    {required ? ', required' : ''}
                  </small>
                </dt>
                <dd>
                  {description === undefined ? null : withCode(`${description}. `)}
                  <Fields schema={schema} schemas={schemas} />
                </dd>
              </>
            ))}
          </dl>
        </Disclosure>
      )}
      {Object.entries(endpoint.requestBody?.content ?? {}).map(([type, { schema }]) => (
        <Disclosure title={`Body, ${type}`}>
          <Fields schema={schema} schemas={schemas} />
        </Disclosure>
      ))}
      {Object.entries(endpoint.responses)
        .filter(([, { problems }]) => problems === undefined)
        .map(([status, { description, content = {} }]) => (
          <Disclosure title={`${status} ${description}`}>
            {Object.values(content).map(({ schema }) => (
              <Fields schema={schema} schemas={schemas} />
            ))}
          </Disclosure>
        ))}
      <Disclosure title="Errors">
        <ul class="codes">
          {Object.entries(endpoint.responses).flatMap(([status, { problems = [] }]) =>
            problems.map((code) => (
              <li>
                {status} <a href={`#problem-${code}`}>{code}</a>
              </li>
            )),
          )}
        </ul>
      </Disclosure>
      <pre tabIndex={0}>{exampleOf(endpoint, base, schemas)}</pre>
    </article>
  )
}

function Disclosure({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <details>
      <summary>{withCode(title)}</summary>
      {children}
    </details>
  )
}

function ProblemList({ problems }: { problems: Problems }) {
  return (
    <section aria-labelledby="problems">
      <h2 id="problems">Errors</h2>
      <p>
        Errors are <code>application/problem+json</code> (RFC 9457) with a stable <code>code</code> and the{' '}
        <code>request_id</code>. If a request is invalid, <code>errors</code> lists the first faults.
      </p>
      <dl class="problems">
        {Object.entries(problems).map(([code, { status, means }]) => (
          <div id={`problem-${code}`}>
            <dt>
              <code>{code}</code> <small>{status}</small>
            </dt>
            <dd>{withCode(means)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function endpointsOf(document: OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => {
      const operation = described as unknown as DocumentedOperation
      const responses = Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [status, withProblems(response)]),
      )
      return { ...operation, method: method.toUpperCase(), path, responses }
    }),
  )
}

function withProblems(response: Response): Endpoint['responses'][string] {
  const codes = response.content?.['application/problem+json']?.schema.allOf?.flatMap(
    (one) => one.properties?.['code']?.enum ?? [],
  )
  return codes === undefined ? response : { ...response, problems: codes.map(String) }
}

function accessOf({ security }: Endpoint): string {
  if (security.length === 0) return 'Needs no credential.'
  if (security.some((one) => Object.keys(one).length === 0)) return 'Returns more with a credential.'
  const scopes = Object.values(security[0] ?? {}).flat()
  return scopes.length === 0 ? 'Needs any credential.' : `Needs the scope ${scopes.join(', ')}.`
}

function exampleOf(endpoint: Endpoint, base: string, schemas: Record<string, Schema>): string {
  const { method, path, security, requestBody, parameters = [], responses } = endpoint
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required)
  const value = ({ name, schema }: (typeof needed)[number]) =>
    typeof schema.const === 'string' ? schema.const : name.toUpperCase()
  const query = needed.map((one) => `${one.name}=${value(one)}`).join('&')
  const address = `${base}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())}${query === '' ? '' : `?${query}`}`
  // A browser opens this address, so there is no command for it.
  if (responses['200']?.content?.['text/html; charset=utf-8'] !== undefined) return address
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} '${address}'`]
  if (security.length > 0) lines.push('-H "Authorization: Bearer $DOCSEARCH_TOKEN"')
  const types = Object.keys(requestBody?.content ?? {})
  const body = requestBody?.content['application/json']?.schema
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(exampleValue(body, schemas))}'`)
  if (types.includes('multipart/form-data')) lines.push('-F file=@FILE')
  return lines.join(' \\\n     ')
}

/** Lets a long path break after a slash on a narrow screen. */
function breakable(path: string) {
  return path.split(/(?<=\/)/).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ))
}

/** An ID that no operation has. */
function slug(text: string): string {
  return `section-${text.toLowerCase().replaceAll(/\W+/g, '-')}`
}

/** The parts of JSON Schema that the API's schemas use. */
interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

const MAX_DEPTH = 5

/** Describes a schema in words, and each field of an object. */
function Fields({ schema, schemas, depth = 0 }: { schema: Schema; schemas: Record<string, Schema>; depth?: number }) {
  const own = resolve(schema, schemas)
  const properties = objectOf(own, schemas)?.properties
  if (properties === undefined || depth >= MAX_DEPTH) return <span class="type">{words(own, schemas)}</span>
  const required = new Set(objectOf(own, schemas)?.required)
  return (
    <>
      {depth > 0 ? <span class="type">{words(own, schemas)}</span> : null}
      <ul class="fields">
        {Object.entries(properties).map(([name, inner]) => (
          <li>
            <code>{name}</code>
            {required.has(name) ? null : <small> optional</small>} <Fields schema={inner} schemas={schemas} depth={depth + 1} />
            {inner.description === undefined ? null : <span class="note"> {withCode(inner.description)}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (schemas[name] ?? schema)
}

/** Returns the object in a schema: itself, the entries of a list, or the part that is not null. */
function objectOf(schema: Schema, schemas: Record<string, Schema>): Schema | undefined {
  const own = resolve(schema, schemas)
  if (own.properties !== undefined) return own
  if (own.items !== undefined) return objectOf(own.items, schemas)
  return own.anyOf?.map((one) => objectOf(one, schemas)).find((found) => found !== undefined)
}

function words(schema: Schema, schemas: Record<string, Schema>): string {
  const own = resolve(schema, schemas)
  if (own.const !== undefined) return JSON.stringify(own.const)
  if (own.enum !== undefined) return `${own.enum.map((value) => JSON.stringify(value)).join(' | ')}${defaultOf(own)}`
  if (own.anyOf !== undefined) return own.anyOf.map((one) => words(one, schemas)).join(' or ') + defaultOf(own)
  if (own.items !== undefined)
    return `list of ${words(own.items, schemas)}${range(own.minItems, own.maxItems, 'entries')}${defaultOf(own)}`
  const type = Array.isArray(own.type) ? own.type.join(' or ') : (own.type ?? 'any')
  return `${type}${range(own.minimum, safe(own.maximum), '')}${range(own.minLength, own.maxLength, 'characters')}${defaultOf(own)}`
}

/** Drops the bound that zod writes for every integer, because it tells readers nothing. */
function safe(maximum: number | undefined): number | undefined {
  return maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const from = min === undefined || min === Number.MIN_SAFE_INTEGER ? undefined : min
  if (from === undefined && max === undefined) return ''
  const text = max === undefined ? `at least ${from}` : from === undefined ? `at most ${max}` : `${from} to ${max}`
  return `, ${text}${unit === '' ? '' : ` ${unit}`}`
}

function defaultOf(schema: Schema): string {
  return schema.default === undefined ? '' : `, default ${JSON.stringify(schema.default)}`
}

/** Returns the smallest valid object: the required fields, or the first field if none is required. */
function exampleValue(schema: Schema, schemas: Record<string, Schema>): Record<string, unknown> {
  const { properties = {}, required = [] } = resolve(schema, schemas)
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(
    names.map((name) => [name, properties[name]?.type === 'string' ? name.toUpperCase() : (properties[name]?.default ?? null)]),
  )
}

/** Renders the parts of a text that are in backticks as code. */
function withCode(text: string) {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))
}
