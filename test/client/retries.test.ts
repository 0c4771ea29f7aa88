import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { Docsearch } from '../../src/client/library/main.ts'
import type { DocsearchOptions } from '../../src/client/library/main.ts'
import { startTestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { answerWith, json, problem, scriptedInstance, uploaded } from '../support/scripted-instance.ts'
import { failure } from '../support/request-failure.ts'
import type { Received } from '../support/scripted-instance.ts'

const connect = (url: string, more: Partial<DocsearchOptions> = {}) => new Docsearch({ url, apiKey: 'dsk_x', ...more })

/** Answers in turn; the last one again and again. */
function inTurn(...answers: ((response: ServerResponse) => void)[]) {
  let next = 0
  return (_: Received, response: ServerResponse) => answers[Math.min(next++, answers.length - 1)]!(response)
}
const limited = (seconds: string) => (response: ServerResponse) =>
  problem(response, 429, errorCode('rate_limited'), 'Too many requests.', {}, { 'Retry-After': seconds })
const unavailable = (response: ServerResponse) => problem(response, 503, errorCode('unavailable'), 'The instance stops.')
const broken = (response: ServerResponse) => void response.socket?.destroy()
const found = (response: ServerResponse) => json(response, 200, answerWith([]))
const me = { user: {}, scopes: [], projects: null, authentication: {} }

test('repeats a search after 429, 503 and a broken connection', async () => {
  const instance = await scriptedInstance({ 'POST /api/v1/search': inTurn(limited('0'), unavailable, broken, found) })
  expect((await connect(instance.url).search('rent')).results).toEqual([])
  expect(instance.requests.map(({ body }) => body.toString())).toEqual(Array(4).fill('{"query":"rent"}'))
})

test('says how long a real instance asks to wait', async () => {
  const app = await startTestApp({ http: { rateLimit: 2 } })
  onTestFinished(() => app.close())
  const docsearch = connect(app.url, { apiKey: app.alice.key!, retries: 0 })
  await docsearch.me()
  await docsearch.me()
  const error = await failure(docsearch.me())
  expect(error).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(error.retryAfter).toBeGreaterThan(0)
})

test('gives up after the given number of retries, and at once when it would wait for long', async () => {
  const busy = await scriptedInstance({ 'GET /api/v1/me': inTurn(limited('0')) })
  expect(await failure(connect(busy.url, { retries: 2 }).me())).toMatchObject({ status: 429, retryAfter: 0 })
  expect(busy.requests).toHaveLength(3)
  const long = await scriptedInstance({ 'GET /api/v1/me': inTurn(limited('3600')) })
  expect(await failure(connect(long.url).me())).toMatchObject({ retryAfter: 3600 })
  expect(long.requests).toHaveLength(1)
})

test('does not repeat what the instance refuses, nor a change that must not happen twice', async () => {
  const refusing = await scriptedInstance({})
  expect(await failure(connect(refusing.url).documents.get('doc_1'))).toMatchObject({ status: 404, code: 'not_found' })
  expect(refusing.requests).toHaveLength(1)
  const breaking = await scriptedInstance({ 'POST /api/v1/projects': inTurn(broken) })
  expect(await failure(connect(breaking.url).projects.create({ name: 'x' }))).toMatchObject({ code: 'unreachable', status: 0 })
  expect(breaking.requests).toHaveLength(1)
})

test('a deletion whose answer was lost succeeds when the document is gone', async () => {
  const instance = await scriptedInstance({
    'DELETE /api/v1/documents/doc_1': inTurn(broken, (response) =>
      problem(response, 404, errorCode('document_not_found'), 'There is no such document.'),
    ),
  })
  await connect(instance.url).documents.delete('doc_1')
  expect(instance.requests).toHaveLength(2)
})

test('sends the same bytes again when an upload breaks', async () => {
  const instance = await scriptedInstance({
    'POST /api/v1/upload': inTurn(broken, limited('0'), (response) =>
      json(response, 202, { documents: [uploaded('doc_1', 'a.txt')], rejected: [] }),
    ),
  })
  const { documents } = await connect(instance.url).upload({ name: 'a.txt', content: new TextEncoder().encode('some bytes') })
  expect(documents.map(({ id }) => id)).toEqual(['doc_1'])
  expect(instance.requests).toHaveLength(3)
  for (const { body } of instance.requests) expect(body.toString()).toContain('\r\n\r\nsome bytes\r\n')
})

test('aborting ends the pause before the next attempt', async () => {
  const stop = new AbortController()
  const instance = await scriptedInstance({
    'GET /api/v1/me': (_: Received, response: ServerResponse) => {
      limited('60')(response)
      response.once('close', () => stop.abort())
    },
  })
  expect(await failure(connect(instance.url).me({ signal: stop.signal }))).toMatchObject({ code: 'aborted' })
  expect(instance.requests).toHaveLength(1)
})

test('follows no redirect, so the key reaches no other address', async () => {
  const other = await scriptedInstance({ 'GET /api/v1/me': me })
  const instance = await scriptedInstance({
    'GET /api/v1/me': (_: Received, response: ServerResponse) =>
      response.writeHead(307, { Location: `${other.url}/api/v1/me` }).end(),
  })
  const error = await failure(connect(instance.url).me())
  expect(error).toMatchObject({ code: 'redirected', status: 307, details: { location: `${other.url}/api/v1/me` } })
  expect(error.message).not.toContain('--server')
  expect(other.requests).toEqual([])
})

test('says what is wrong with an address', async () => {
  expect(() => connect('ftp://example.org')).toThrow(expect.objectContaining({ name: 'RequestError', code: 'invalid_address' }))
  const closed = await failure(connect('http://127.0.0.1:9', { retries: 0 }).me())
  expect([closed.code, closed.message]).toEqual(['unreachable', 'Cannot reach http://127.0.0.1:9: connection refused.'])
  const website = await scriptedInstance({
    'GET /api/v1/me': (_: Received, response: ServerResponse) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Shop</h1>'),
    'GET /api/v1/events': (_: Received, response: ServerResponse) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Shop</h1>'),
  })
  const wrong = connect(website.url)
  expect(await failure(wrong.me())).toMatchObject({ code: 'invalid_answer' })
  expect(await failure(wrong.events().next())).toMatchObject({ code: 'invalid_answer' })
  expect(await failure(connect('http://127.0.0.1:9', { retries: 1 }).events().next())).toMatchObject({ code: 'unreachable' })
})

test('a wait that takes too long names the documents', async () => {
  const instance = await scriptedInstance({
    'GET /api/v1/documents/doc_1': uploaded('doc_1', 'a.txt'),
    'GET /api/v1/events': (_: Received, response: ServerResponse) =>
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': listening\n\n'),
  })
  expect(await failure(connect(instance.url).wait('doc_1', { timeoutMs: 500 }))).toMatchObject({
    code: 'timeout',
    details: { pending: ['doc_1'] },
  })
})
