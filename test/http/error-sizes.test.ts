import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_PROBLEM_BYTES } from '../../src/http/problems/problems.ts'
import { startTestApp, type TestApp } from '../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const LONG = 'k'.repeat(400_000)
/** Characters that take six bytes in JSON. */
const ESCAPED = '\u0001'.repeat(4_000)
/** Almost as long as all headers of a request may be. */
const ADDRESS = 'a'.repeat(60_000)
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
const manyFields = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1])))

interface Sent {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | FormData
}

/** Requests that an answer could repeat. */
const REFUSED: [name: string, status: number, request: Sent][] = [
  ['an unknown field', 400, search({ query: 'x', [LONG]: 1 })],
  ['an unknown field of a nested object', 400, search({ query: 'x', filter: { [LONG]: 1 } })],
  ['90,000 unknown fields', 400, { method: 'POST', path: '/api/v1/search', headers: JSON_TYPE, body: manyFields(90_000) }],
  ['90 unknown fields', 400, { method: 'POST', path: '/api/v1/search', headers: JSON_TYPE, body: manyFields(90) }],
  ['a thousand faults', 400, search({ query: 'x', filter: { document_ids: Array(1000).fill('\ud800') } })],
  ['a list of wrong values', 400, search({ query: 'x', project: Array(100).fill(LONG.slice(0, 5_000)) })],
  ['a long query', 400, search({ query: LONG })],
  ['an unknown project', 404, search({ query: 'x', project: ESCAPED.slice(0, 200) })],
  ['a long parameter', 400, { path: `/api/v1/documents?${ADDRESS}=1` }],
  ['a thousand parameters', 400, { path: `/api/v1/me?${Array.from({ length: 1000 }, (_, i) => `p${i}=1`).join('&')}` }],
  ['a long cursor', 400, { path: `/api/v1/documents?cursor=${'%01'.repeat(300)}` }],
  ['a long unknown path', 404, { path: `/api/${ADDRESS}` }],
  ['an unknown path of escaped characters', 404, { path: `/api/${'%01'.repeat(10_000)}` }],
  ['a long id', 404, { path: `/api/v1/documents/${ADDRESS}` }],
  ['a long content type', 415, { method: 'POST', path: '/api/v1/search', headers: { 'content-type': ADDRESS }, body: '{}' }],
  ['a long request id', 404, { path: '/api/v1/documents/doc_x', headers: { 'x-request-id': ADDRESS } }],
  ['a long user agent', 404, { path: '/api/nothing', headers: { 'user-agent': ADDRESS } }],
  ['long names of form fields', 400, upload('f'.repeat(8_000))],
  ['a long token request', 400, token(new URLSearchParams({ grant_type: LONG.slice(0, 10_000) }).toString())],
  ['a long redirect address', 400, application({ name: 'x', redirect_uris: [`https://${LONG}`] })],
  ['many redirect addresses', 400, application({ name: 'x', redirect_uris: Array(5_000).fill(ESCAPED.slice(0, 20)) })],
]

function search(body: object): Sent {
  return { method: 'POST', path: '/api/v1/search', headers: JSON_TYPE, body: JSON.stringify(body) }
}

function application(body: object): Sent {
  return { method: 'POST', path: '/api/v1/clients', headers: JSON_TYPE, body: JSON.stringify(body) }
}

function token(body: string): Sent {
  return { method: 'POST', path: '/api/oauth/token', headers: FORM_TYPE, body }
}

function upload(field: string): Sent {
  const body = new FormData()
  for (const n of [1, 2, 3, 4, 5, 6]) body.append(`${field}${n}`, 'x')
  return { method: 'POST', path: '/api/v1/upload', body }
}

const authorization = () => ({ authorization: `Bearer ${app.alice.key}` })

describe('an answer with an error has at most 4 kB', () => {
  test.each(REFUSED)('%s', async (_, status, { method = 'GET', path, headers = {}, body }) => {
    const answer = await fetch(app.url + path, { method, headers: { ...authorization(), ...headers }, body: body ?? null })
    const text = await answer.text()
    expect([answer.status, text.slice(0, 300)]).toEqual([status, text.slice(0, 300)])
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PROBLEM_BYTES)
    const problem = JSON.parse(text) as Record<string, unknown>
    if (answer.headers.get('content-type')!.includes('problem')) {
      expect(problem).toMatchObject({ status, detail: expect.stringMatching(/\S/), code: expect.any(String) })
      expect(problem['request_id']).toBe(answer.headers.get('x-request-id'))
    }
    for (const [, value] of answer.headers) expect(value.length).toBeLessThanOrEqual(MAX_PROBLEM_BYTES)
  })

  test.each([
    ['an unknown path', 404, `/${ADDRESS}`],
    ['a long document id', 404, `/documents/${ADDRESS}`],
    ['a long application id', 400, `/api/oauth/authorize?response_type=code&client_id=${ADDRESS}`],
    ['unknown parameters', 400, `/api/oauth/authorize?client_id=a&client_id=${ADDRESS}`],
  ])('also as a page: %s', async (_, status, path) => {
    const answer = await fetch(app.url + path, { headers: { accept: 'text/html' }, redirect: 'manual' })
    const text = await answer.text()
    if (answer.status >= 400) expect(answer.status).toBe(status)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_PROBLEM_BYTES)
  })
})

test('an object with far too many fields is refused before its fields are read', async () => {
  const filter = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, 1]))
  const { body } = await app.alice.post('/api/v1/search', { query: 'x', filter })
  expect(body).toMatchObject({ errors: [{ path: 'filter', message: 'has 1000 fields; the limit is 100' }] })
})

test('the first faults are listed in their order, and the message names the first', async () => {
  const { body } = await app.alice.post('/api/v1/search', { query: 'x', one: 1, two: 2, three: 3 })
  expect(body).toMatchObject({ detail: 'one is not a field of this request (and 2 more, see errors).' })
  expect((body as { errors: { path: string }[] }).errors.map(({ path }) => path)).toEqual(['one', 'two', 'three'])
})
