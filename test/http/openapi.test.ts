import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/contract/openapi.ts'
import { operations as table, routes } from '../support/api-table.ts'
import { PROBLEMS } from '../../src/http/problems/problems.ts'
import { startTestApp, type TestApp } from '../support/app.ts'

interface Operation {
  operationId: string
  summary: string
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; schema: object; required: boolean }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; headers?: object; content?: Record<string, { schema?: object }> }>
}

let app: TestApp
let document: OpenApiDocument
let operations: { method: string; path: string; operation: Operation }[]
beforeAll(async () => {
  app = await startTestApp()
  document = (await app.stranger.get<OpenApiDocument>('/api/openapi.json')).body
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation: operation as unknown as Operation })),
  )
})
afterAll(() => app?.close())

test('the document describes this instance and has every endpoint once', () => {
  expect(document['openapi']).toMatch(/^3\.1\.\d$/)
  expect(document['servers']).toEqual([{ url: app.url }])
  expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted()).toEqual(
    table.map(({ method, path }) => `${method} ${path}`).toSorted(),
  )
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(table.length)
})

test('the document describes the page that applications send users to', async () => {
  expect(table.filter((row) => !(routes as readonly unknown[]).includes(row)).map(({ path }) => path)).toEqual([
    '/api/oauth/authorize',
  ])
  const { parameters, responses, security } = document.paths['/api/oauth/authorize']!['get'] as unknown as Operation
  expect(security).toEqual([])
  expect(parameters!.filter(({ required }) => required).map(({ name }) => name)).toEqual([
    'response_type',
    'client_id',
    'redirect_uri',
  ])
  expect(parameters!.filter(({ required }) => !required).map(({ name }) => name)).toEqual([
    'state',
    'scope',
    'code_challenge',
    'code_challenge_method',
    'resource',
  ])
  expect(Object.keys(responses)).toEqual(['200', '302', '303', '400', '403'])

  const asked = { response_type: 'code', client_id: 'docsearch-cli', redirect_uri: 'http://127.0.0.1:1/callback' }
  for (const [query, status] of [
    [{ ...asked, client_id: 'app_none' }, 400],
    [{ ...asked, response_type: 'token' }, 302],
    [{ ...asked, code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' }, 303],
  ] as const) {
    const answer = await fetch(`${app.url}/api/oauth/authorize?${new URLSearchParams(query)}`, { redirect: 'manual' })
    expect(answer.status).toBe(status)
    const { headers = {}, content = {} } = responses[String(status)]!
    expect(answer.headers.has('location')).toBe('Location' in headers)
    if (status === 400) expect(Object.keys(content)).toEqual([answer.headers.get('content-type')])
  }
})

test('the document is valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true })
})

const BODILESS = ['reprocessDocument', 'restoreDocument', 'resetUser', 'testWebhook', 'redeliverWebhook']

test('every operation describes its scopes, parameters and answers', () => {
  for (const { path, method, operation } of operations) {
    const at = `${method} ${path}`
    expect(operation.summary, at).not.toBe('')
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    expect(inPath, at).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    for (const parameter of operation.parameters ?? [])
      expect(Object.keys(parameter.schema), `${at} ${parameter.name}`).not.toEqual([])
    const statuses = Object.keys(operation.responses).map(Number)
    expect(
      statuses.some((status) => status < 300),
      at,
    ).toBe(true)
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(response.description, `${at} ${status}`).not.toBe('')
      expect(response.headers, `${at} ${status}`).toHaveProperty('X-Request-Id')
      // The OAuth endpoints answer with errors of RFC 6749, except for requests that are refused before they reach an endpoint. Registration
      // has a 403 of its own, for instances where it is turned off.
      const isOAuth = path.startsWith('/api/oauth/') && (status !== '403' || operation.operationId === 'registerApplication')
      const refusal = path === '/api/oauth/authorize' ? 'text/html; charset=utf-8' : 'application/json'
      if (Number(status) >= 400 && status !== '503')
        expect(Object.keys(response.content ?? {}), `${at} ${status}`).toEqual([isOAuth ? refusal : 'application/problem+json'])
    }
    if (operation.security.some((one) => 'bearer' in one)) expect(statuses, at).toEqual(expect.arrayContaining([401, 429]))
    if (operation.security.some((one) => (one['bearer'] ?? []).length > 0)) expect(statuses, at).toContain(403)
    if (method === 'post' && !BODILESS.includes(operation.operationId)) expect(operation.requestBody, at).toBeDefined()
  }
})

test('every reference resolves, and every schema is used', () => {
  const text = JSON.stringify(document)
  const references = new Set(
    [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
  )
  expect(
    [...text.matchAll(/"\$ref":"([^"]+)"/g)]
      .map(([, reference]) => reference)
      .filter((reference) => !reference?.startsWith('#/components/')),
  ).toEqual([])
  for (const reference of references) {
    const [kind = '', name = ''] = reference.split('/')
    expect((document.components as unknown as Record<string, Record<string, unknown>>)[kind], reference).toHaveProperty(name)
  }
  for (const name of Object.keys(document.components.schemas)) expect([...references], name).toContain(`schemas/${name}`)
})

test('the document refuses unknown fields, as the instance does', () => {
  expect(document.components.schemas['SearchRequest']).toMatchObject({
    additionalProperties: false,
    required: ['query'],
    properties: { limit: { default: 10, maximum: 100 } },
  })
})

test('the document has the limits of this instance', async () => {
  const brief = await startTestApp({ limits: { queryChars: 50 } })
  try {
    const { paths, components } = (await brief.stranger.get<OpenApiDocument>('/api/openapi.json')).body
    const { requestBody } = paths['/api/v1/search']!['post'] as unknown as Operation
    const schema = requestBody!.content['application/json']!.schema as { $ref?: string; properties?: { query: object } }
    const { properties } = (schema.$ref === undefined ? schema : components.schemas['SearchRequest']) as typeof schema
    expect(properties?.query).toMatchObject({ maxLength: 50 })
  } finally {
    await brief.close()
  }
})

test('the documentation page shows every endpoint and code without a script, also in a narrow window', async () => {
  const { status, headers, body } = await app.stranger.get<string>('/api/docs')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; style-src 'self'/)
  expect(body).toMatch(/^<!doctype html><html lang="en">/)
  expect(body).not.toMatch(/<script|style=|javascript:| on\w+=/)
  expect(body).toContain('width=device-width')
  for (const { operationId, summary } of table) {
    expect(body).toContain(`id="${operationId}"`)
    expect(body).toContain(summary)
  }
  for (const code of Object.keys(PROBLEMS)) expect(body).toContain(`id="problem-${code}"`)
  expect(body).toContain(
    `${app.url}/api/oauth/authorize?response_type=code&amp;client_id=CLIENT_ID&amp;redirect_uri=REDIRECT_URI</pre>`,
  )
  const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  for (const [, target] of body.matchAll(/ href="#([^"]+)"/g)) expect(ids).toContain(target)
  expect(body).toContain('href="/"')
  const style = await app.stranger.get<string>('/api/docs/style.css')
  expect([style.headers.get('content-type'), style.body]).toEqual([
    'text/css; charset=utf-8',
    expect.stringContaining('color-scheme: light dark'),
  ])
})
