import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookMessage,
  WebhookRotated,
  WebhookWithSecret,
} from '../../src/contract/webhooks.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { isOnServers } from '../support/on-servers.ts'
import { errorCode } from '../support/codes.ts'
import { storedBytes } from '../support/open-database.ts'
import { until } from '../support/until.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

let app: TestApp
let receiver: WebhookReceiver
let log = ''
beforeAll(async () => {
  const write = (...parts: unknown[]) => void (log += JSON.stringify(parts))
  const logger = { debug: write, info: write, warn: write, error: write, child: () => logger }
  app = await startTestApp({ webhooks: { plainHttp: true, privateNetworks: true }, webhookTimeoutMs: 1_000, log: logger })
  receiver = await WebhookReceiver.start()
})
afterAll(async () => {
  receiver?.close()
  await app?.close()
})

let number = 0
let at: string
/** A project for each test, with all of its webhooks. */
beforeEach(async () => {
  const name = `project ${(number += 1)}`
  await app.alice.post('/api/v1/projects', { name })
  at = `/api/v1/projects/${encodeURIComponent(name)}/webhooks`
})

const upload = (name: string, text: string) => app.alice.ready(name, text, { project: `project ${number}` })

async function add(path: string, fields: object = {}): Promise<WebhookWithSecret> {
  const { status, body } = await app.alice.post<WebhookWithSecret>(at, { url: receiver.url(path), ...fields })
  expect(status).toBe(201)
  return body
}

async function finished(webhook: Pick<Webhook, 'id'>, id: string, state: string): Promise<WebhookDelivery> {
  return until(`the delivery is ${state}`, async () => {
    const { body } = await app.alice.get<WebhookDelivery>(`${at}/${webhook.id}/deliveries/${id}`)
    return body.state === state && body
  })
}

test('a receiver gets a signed message when a document is ready, fails and is deleted', async () => {
  const { secret, ...webhook } = await add('/all', { description: 'to the index' })
  expect(webhook).toMatchObject({ events: ['document.ready', 'document.failed', 'document.deleted'], enabled: true, waiting: 0 })
  await add('/deleted', { events: ['document.deleted'] })
  const id = await upload('lease.txt', 'The lease ends in June.')
  const [ready] = await receiver.messages(1, '/all')
  const message = new Verifier(secret).verify(ready!.body, ready!.headers as Record<string, string>) as WebhookMessage
  const document = (await app.alice.get(`/api/v1/documents/${id}`)).body
  expect(message).toEqual({ type: 'document.ready', timestamp: expect.any(String), data: { document } })
  expect(ready!.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'docsearch' })
  expect(ready!.headers['webhook-id']).toMatch(/^msg_/)

  await app.alice.upload(
    [{ name: 'broken.pdf', content: '%PDF-1.7 broken' }],
    { project: `project ${number}` },
    { Prefer: 'wait=60' },
  )
  await app.alice.call('DELETE', `/api/v1/documents/${id}`)
  const types = (await receiver.messages(3, '/all')).map(({ body }) => (JSON.parse(body) as WebhookMessage).type)
  expect(types.toSorted()).toEqual(['document.deleted', 'document.failed', 'document.ready'])
  const [deleted] = await receiver.messages(1, '/deleted')
  expect(JSON.parse(deleted!.body)).toMatchObject({ type: 'document.deleted', data: { document: { id, name: 'lease.txt' } } })
  expect(() => new Verifier(secret).verify(deleted!.body, deleted!.headers as Record<string, string>)).toThrow('matching')
  const listed = await finished(webhook, ready!.headers['webhook-id'] as string, 'delivered')
  expect(listed).toMatchObject({
    type: 'document.ready',
    document: { id, name: 'lease.txt' },
    attempts: [{ status: 204, error: null }],
  })
})

test('the secret is shown once, is in no answer, log or database, and its key is private', async () => {
  const { secret, id } = await add('/secret')
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{40}$/)
  await app.alice.post(`${at}/${id}/test`, {})
  await receiver.messages(1, '/secret')
  const answers = [
    await app.alice.get<WebhookList>(at),
    await app.alice.get(`${at}/${id}`),
    await app.alice.get(`${at}/${id}/deliveries`),
    await app.alice.call('PATCH', `${at}/${id}`, { json: { description: 'changed' } }),
    await app.alice.get('/api/v1/audit?limit=100'),
  ]
  const bytes = secret.slice('whsec_'.length)
  for (const text of [JSON.stringify(answers), log, ...(await storedBytes(app.database))]) expect(text).not.toContain(bytes)
  // With PostgreSQL, the key is in the database.
  const key = join(app.folder, 'webhook.key')
  if (process.platform !== 'win32' && !isOnServers) expect(statSync(key).mode & 0o777).toBe(0o600)
})

test('after a rotation both secrets verify until the old one expires', async () => {
  const created = await add('/rotate')
  const path = `${at}/${created.id}`
  const rotated = (await app.alice.post<WebhookRotated>(`${path}/rotate`, { grace_seconds: 3600 })).body
  expect(Date.parse(rotated.old_secret_expires_at)).toBeGreaterThan(Date.now())
  await app.alice.post(`${path}/test`, {})
  const [both] = await receiver.messages(1, '/rotate')
  for (const { secret } of [created, rotated]) new Verifier(secret).verify(both!.body, both!.headers as Record<string, string>)
  const last = (await app.alice.post<WebhookRotated>(`${path}/rotate`, { grace_seconds: 0 })).body
  await app.alice.post(`${path}/test`, {})
  const [, one] = await receiver.messages(2, '/rotate')
  new Verifier(last.secret).verify(one!.body, one!.headers as Record<string, string>)
  for (const { secret } of [created, rotated])
    expect(() => new Verifier(secret).verify(one!.body, one!.headers as Record<string, string>)).toThrow('matching')
})

test.each([
  ['a status of a failure', '/500', { error: { code: 'bad_status' }, status: 500 }],
  ['a redirect', '/301', { error: { code: 'bad_status' }, status: 301 }],
  ['silence', '/silent', { error: { code: 'timeout' }, status: null }],
  ['a connection that breaks off', '/broken', { error: { code: 'connection_failed' }, status: null }],
])('%s is a failure, which the log shows', async (_, path, attempt) => {
  receiver.answer = (response, message) => {
    if (message.path === '/500') response.writeHead(500).end('x'.repeat(1000))
    else if (message.path === '/301') response.writeHead(301, { Location: receiver.url('/elsewhere') }).end()
    else if (message.path === '/broken') response.destroy()
    else if (message.path !== '/silent') response.writeHead(204).end()
  }
  const webhook = await add(path)
  const { status, body } = await app.alice.post<WebhookDelivery>(`${at}/${webhook.id}/test`, {})
  expect([status, body.state]).toEqual([202, 'waiting'])
  expect(await finished(webhook, body.id, 'failed')).toMatchObject({ type: 'webhook.test', document: null, attempts: [attempt] })
  expect(receiver.received.filter((message) => message.path === '/elsewhere')).toEqual([])
})

test('a long answer counts by its status, and docsearch does not read it all', async () => {
  let isClosed = false
  receiver.answer = (response) => {
    response.on('close', () => (isClosed = true)).writeHead(200)
    const more = () => response.writable && response.write('x'.repeat(50_000), more)
    more()
  }
  const webhook = await add('/endless')
  const { id } = (await app.alice.post<WebhookDelivery>(`${at}/${webhook.id}/test`, {})).body
  expect(await finished(webhook, id, 'delivered')).toMatchObject({ attempts: [{ status: 200 }] })
  await until('the connection is closed', () => isClosed)
})

test('a message that fails waits for its next attempt, and a manager can send it again', async () => {
  receiver.answer = (response) => void response.writeHead(503, { 'Retry-After': '3600' }).end()
  const webhook = await add('/retry', { events: ['document.ready'] })
  await upload('a.txt', 'First.')
  const [first] = await receiver.messages(1, '/retry')
  const id = first!.headers['webhook-id'] as string
  const waiting = await until('the attempt is recorded', async () => {
    const { body } = await app.alice.get<WebhookDelivery>(`${at}/${webhook.id}/deliveries/${id}`)
    return body.attempts.length > 0 && body
  })
  expect(waiting).toMatchObject({ state: 'waiting', attempts: [{ status: 503 }] })
  const asked = Date.parse(waiting.attempts[0]!.time) + 3_600_000
  expect(Date.parse(waiting.next_attempt_at!)).toBeGreaterThanOrEqual(asked)
  expect((await app.alice.get<Webhook>(`${at}/${webhook.id}`)).body).toMatchObject({
    waiting: 1,
    failing_since: expect.any(String),
  })

  receiver.answer = (response) => void response.writeHead(200).end('ok')
  expect((await app.alice.post(`${at}/${webhook.id}/deliveries/${id}/redeliver`, {})).status).toBe(202)
  const [, second] = await receiver.messages(2, '/retry')
  expect([second!.body, second!.headers['webhook-id']]).toEqual([first!.body, id])
  expect(await finished(webhook, id, 'delivered')).toMatchObject({ attempts: [{ status: 503 }, { status: 200, error: null }] })
  expect((await app.alice.get<Webhook>(`${at}/${webhook.id}`)).body).toMatchObject({ waiting: 0, failing_since: null })
  const { body } = await app.alice.get<WebhookDeliveryList>(`${at}/${webhook.id}/deliveries?state=failed`)
  expect(body.deliveries).toEqual([])
})

test('a slow receiver does not hold up another project', async () => {
  const held: (() => void)[] = []
  receiver.answer = (response, { path }) => {
    const end = () => void response.writeHead(204).end()
    if (path === '/slow') held.push(end)
    else end()
  }
  const slow = await add('/slow')
  for (let i = 0; i < 6; i++) await app.alice.post(`${at}/${slow.id}/test`, {})
  await receiver.messages(4, '/slow')
  await app.alice.post('/api/v1/projects', { name: 'swift' })
  at = '/api/v1/projects/swift/webhooks'
  const swift = await add('/swift')
  await app.alice.post(`${at}/${swift.id}/test`, {})
  await receiver.messages(1, '/swift')
  // No more than four at a time go to one webhook.
  expect(held).toHaveLength(4)
  for (const end of held) end()
  receiver.answer = (response) => void response.writeHead(204).end()
  await receiver.messages(6, '/slow')
})

test('410 turns a webhook off, and a manager turns it on again', async () => {
  receiver.answer = (response) => void response.writeHead(410).end()
  const { id } = await add('/gone')
  await upload('b.txt', 'Second.')
  const off = await until('it is off', async () => {
    const { body } = await app.alice.get<Webhook>(`${at}/${id}`)
    return !body.enabled && body
  })
  expect(off).toMatchObject({ disabled_reason: 'gone', disabled_at: expect.any(String) })
  expect(await app.alice.post(`${at}/${id}/test`, {})).toMatchObject({
    status: 409,
    body: { code: errorCode('webhook_disabled') },
  })
  const { events } = (
    await app.alice.get<{ events: { actor: unknown; details: object }[] }>('/api/v1/audit?action=webhook.disable')
  ).body
  expect(events[0]).toMatchObject({ actor: null, details: { webhook: id, reason: 'gone', host: `127.0.0.1:${receiver.port}` } })
  const on = await app.alice.call('PATCH', `${at}/${id}`, { json: { enabled: true } })
  expect(on.body).toMatchObject({ enabled: true, disabled_reason: null })
})

test('a project has a limited number of webhooks, which are deleted with it', async () => {
  receiver.answer = (response) => void response.writeHead(204).end()
  for (let i = 0; i < 10; i++) await add('/many')
  const refused = await app.alice.post(at, { url: receiver.url('/many') })
  expect(refused).toMatchObject({ status: 422, body: { code: errorCode('too_many_webhooks'), limit: 10 } })
  await upload('c.txt', 'Third.')
  await receiver.messages(10, '/many')
  await app.alice.call('DELETE', at.replace('/webhooks', ''))
  expect((await app.alice.get(at)).status).toBe(404)
})

test.each([
  [{ url: 'nonsense' }, 422],
  [{ url: 'ftp://example.com/' }, 422],
  [{ url: 'https://user:secret@example.com/' }, 422],
  [{ url: 'https://example.com/#part' }, 422],
  [{ url: 'http://169.254.169.254/latest' }, 422],
  [{ url: 'https://example.com/', events: [] }, 400],
  [{ url: 'https://example.com/', events: ['document.queued'] }, 400],
  [{ url: 'https://example.com/', secret: 'whsec_mine' }, 400],
])('refuses %j', async (fields, status) => {
  expect((await app.alice.post(at, fields)).status).toBe(status)
  expect((await app.alice.get(at)).body).toEqual({ webhooks: [] })
})
