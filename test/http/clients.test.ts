import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  ConnectionList,
  OAuthClient,
  OAuthClientCreated,
  OAuthClientList,
  OAuthClientRotated,
} from '../../src/contract/clients.ts'
import { hashSecret } from '../../src/core/secrets.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

const clients = '/api/v1/clients'
const CALLBACK = 'https://app.example.org/callback'
const register = (fields: object = {}) =>
  app.alice.post<OAuthClientCreated>(clients, { name: 'Reading list', redirect_uris: [CALLBACK], ...fields })
const hasSecret = (id: string, secret: string) => app.backend.records.oauth.applications.hasSecret(id, hashSecret(secret))

test('a confidential application gets a secret that is shown once and stored as a hash', async () => {
  const { status, headers, body } = await register()
  expect([status, headers.get('location')]).toEqual([201, `${app.url}${clients}/${body.client_id}`])
  expect(body).toMatchObject({
    client_id: expect.stringMatching(/^app_[0-9A-Za-z_-]+$/),
    client_secret: expect.stringMatching(/^dss_[0-9A-Za-z_-]{43}$/),
    type: 'confidential',
    redirect_uris: [CALLBACK],
    scopes: ['read:documents', 'write:documents'],
    secrets: [{ last_four: body.client_secret!.slice(-4), expires_at: null }],
  })
  expect(await hasSecret(body.client_id, body.client_secret!)).toBe(true)
  const { client_secret: secret, ...rest } = body
  expect((await app.alice.get<OAuthClient>(`${clients}/${body.client_id}`)).body).toEqual(rest)
  const listed = await app.alice.get<OAuthClientList>(clients)
  expect(listed.body.clients).toContainEqual(rest)
  expect(JSON.stringify(listed.body)).not.toContain(secret)
})

test('a public application has no secret, and none to rotate', async () => {
  const { body } = await register({ type: 'public', redirect_uris: ['http://127.0.0.1/callback'], scopes: ['read:documents'] })
  expect(body).toMatchObject({ type: 'public', secrets: [], scopes: ['read:documents'] })
  expect(body).not.toHaveProperty('client_secret')
  expect(await app.alice.call('POST', `${clients}/${body.client_id}/rotate`)).toMatchObject({
    status: 409,
    body: { code: errorCode('client_is_public') },
  })
})

test.each([
  ['javascript:alert(1)', 'scheme'],
  ['data:text/html,hello', 'scheme'],
  ['http://app.example.org/callback', 'https'],
  ['https://user@app.example.org/callback', 'user name'],
  ['https://app.example.org/callback#here', 'fragment'],
  ['/callback', 'absolute'],
  ['', ''],
])('the redirect address %j is refused, and the error names it and the reason', async (uri, reason) => {
  const before = (await app.alice.get<OAuthClientList>(clients)).body.clients.length
  const answer = await register({ redirect_uris: [CALLBACK, uri] })
  expect(answer).toMatchObject({ status: 400, body: { code: errorCode('invalid_redirect_uri') } })
  const { detail } = answer.body as unknown as { detail: string }
  expect(detail).toContain(JSON.stringify(uri))
  expect(detail).toContain(reason)
  expect((await app.alice.get<OAuthClientList>(clients)).body.clients).toHaveLength(before)
  const { client_id: id } = (await register()).body
  expect(await app.alice.call('PATCH', `${clients}/${id}`, { json: { redirect_uris: [uri] } })).toMatchObject({
    status: 400,
    body: { code: errorCode('invalid_redirect_uri') },
  })
  expect((await app.alice.call('DELETE', `${clients}/${id}`)).status).toBe(204)
})

test.each([
  [{ redirect_uris: [] }, errorCode('invalid_request')],
  [{ redirect_uris: CALLBACK }, errorCode('invalid_request')],
  [{ name: ' ' }, errorCode('invalid_request')],
  [{ name: 'a\u001b[31m' }, errorCode('invalid_request')],
  [{ scopes: ['everything'] }, errorCode('invalid_request')],
  [{ type: 'secret' }, errorCode('invalid_request')],
  [{ redirect_uris: Array.from({ length: 21 }, (_, i) => `${CALLBACK}/${i}`) }, errorCode('too_many_redirect_uris')],
] as const)('%j is refused: %s', async (fields, code) => {
  expect(await register(fields)).toMatchObject({ status: 400, body: { code: errorCode(code) } })
})

test('an update changes the name, redirect addresses and scopes, but not the ID, secret or type', async () => {
  const { client_id: id, client_secret: secret } = (await register()).body
  const change = { name: 'Reader', redirect_uris: ['com.example.reader:/callback'], scopes: ['read:documents'] }
  expect(await app.alice.call('PATCH', `${clients}/${id}`, { json: change })).toMatchObject({
    status: 200,
    body: { ...change, client_id: id },
  })
  expect(await hasSecret(id, secret!)).toBe(true)
  expect(await app.alice.call('PATCH', `${clients}/${id}`, { json: { type: 'public' } })).toMatchObject({ status: 400 })
})

test('after a rotation the new secret works, and the old one until its grace period ends', async () => {
  const { client_id: id, client_secret: first } = (await register()).body
  const second = (await app.alice.call<OAuthClientRotated>('POST', `${clients}/${id}/rotate`)).body
  expect(second.client_secret).not.toBe(first)
  expect(Date.parse(second.old_secrets_expire_at) - Date.now()).toBeGreaterThan(23 * 3_600_000)
  expect([await hasSecret(id, first!), await hasSecret(id, second.client_secret)]).toEqual([true, true])
  const third = (await app.alice.post<OAuthClientRotated>(`${clients}/${id}/rotate`, { grace_seconds: 0 })).body
  expect([await hasSecret(id, first!), await hasSecret(id, second.client_secret)]).toEqual([false, false])
  expect(await hasSecret(id, third.client_secret)).toBe(true)
  expect(await app.alice.post(`${clients}/${id}/rotate`, { grace_seconds: 31 * 86_400 })).toMatchObject({ status: 400 })
})

test('a user lists and ends their connections, and deleting the application also ends them', async () => {
  const { client_id: id } = (await register()).body
  await connectBob(id)
  const listed = async () => (await app.bob.get<ConnectionList>('/api/v1/connections')).body.connections
  expect(await listed()).toEqual([
    expect.objectContaining({ client_id: id, name: 'Reading list', type: 'confidential', scopes: ['read:documents'] }),
  ])
  // Alice registered the application, but did not connect it.
  expect((await app.alice.get<ConnectionList>('/api/v1/connections')).body.connections).toEqual([])
  expect((await app.bob.call('DELETE', `/api/v1/connections/${id}`)).status).toBe(204)
  expect(await listed()).toEqual([])
  expect(await app.bob.call('DELETE', `/api/v1/connections/${id}`)).toMatchObject({
    status: 404,
    body: { code: errorCode('connection_not_found') },
  })
  await connectBob(id)
  expect((await app.alice.call('DELETE', `${clients}/${id}`)).status).toBe(204)
  expect(await listed()).toEqual([])
  expect(await app.alice.get(`${clients}/${id}`)).toMatchObject({ status: 404, body: { code: errorCode('client_not_found') } })
})

test('no user can see or change the built-in application', async () => {
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
  ] as const) {
    const json = method === 'PATCH' ? { json: { name: 'mine' } } : {}
    expect(await app.alice.call(method, `${clients}/docsearch-cli${path}`, json)).toMatchObject({ status: 404 })
  }
})

/** Connects the application to Bob's account, with the scope `read:documents`. */
async function connectBob(clientId: string): Promise<void> {
  const { oauth, users } = app.backend.records
  const bob = (await users.findByEmail('bob@example.org'))!
  const expiresAt = new Date(Date.now() + 600_000)
  const sha256 = hashSecret(crypto.randomUUID())
  await oauth.codes.create({
    sha256,
    clientId,
    userId: bob.id,
    redirectUri: CALLBACK,
    scopes: ['read:documents'],
    projectIds: null,
    codeChallenge: null,
    resource: null,
    expiresAt,
  })
  const access = { sha256: hashSecret(crypto.randomUUID()), expiresAt }
  expect(await oauth.codes.redeem(sha256, { access, refresh: null, scopes: ['read:documents'] })).not.toBeNull()
}
