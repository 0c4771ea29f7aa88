import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiKeyCreated, ApiKeyList, Me } from '../../src/contract/account.ts'
import type { Scope } from '../../src/core/model.ts'
import { routes } from '../support/api-table.ts'
import { apiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

const guarded = routes.filter(({ access }) => access !== 'public' && access !== 'optional')
const scoped = guarded.filter(({ access }) => access !== 'any')
const pathOf = (path: string) => path.replace('{id}', 'x')

test.each(guarded.map(({ method, path }) => [method, path]))(
  '%s %s without a credential: 401, no error code, the way to get one',
  async (method, path) => {
    const { status, headers, body } = await app.stranger.call(method, pathOf(path))
    expect([status, body]).toEqual([401, expect.objectContaining({ code: errorCode('unauthorized') })])
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="docsearch", resource_metadata="${app.url}/.well-known/oauth-protected-resource"`,
    )
  },
)

test.each(scoped.map(({ method, path, access }) => [method, path, access]))(
  '%s %s without its scope: 403 with the scope',
  async (method, path, access) => {
    const all: Scope[] = ['read:documents', 'write:documents', 'manage:keys']
    const client = await app.aliceWith(...all.filter((scope) => scope !== access))
    const { status, headers, body } = await client.call(method, pathOf(path))
    expect([status, body]).toEqual([403, expect.objectContaining({ code: errorCode('insufficient_scope'), scope: access })])
    expect(headers.get('www-authenticate')).toMatch(new RegExp(`error="insufficient_scope", scope="${access}"`))
  },
)

test.each([
  ['a key nobody has', 'Bearer dsk_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa000000'],
  ['something else', 'Bearer hello'],
  ['something very long', `Bearer ${'x'.repeat(8000)}`],
  ['another scheme', 'Basic YTpi'],
  ['no credential behind the scheme', 'Bearer'],
])('%s is 401 invalid_token', async (_what, value) => {
  const { status, headers, body } = await app.stranger.call('GET', '/api/v1/me', { headers: { Authorization: value } })
  expect([status, body]).toEqual([401, expect.objectContaining({ code: errorCode('invalid_token') })])
  expect(headers.get('www-authenticate')).toMatch(/error="invalid_token"/)
})

test('the scheme is known in any case; a credential in the address counts for nothing', async () => {
  expect((await app.stranger.call('GET', '/api/v1/me', { headers: { Authorization: `bearer ${app.alice.key}` } })).status).toBe(
    200,
  )
  const { status, body } = await app.stranger.get(`/api/v1/projects?access_token=${app.alice.key}`)
  expect([status, body]).toEqual([401, expect.objectContaining({ code: errorCode('unauthorized') })])
})

test('me: user, scopes, credential', async () => {
  const { body } = await (await app.aliceWith('read:documents')).get<Me>('/api/v1/me')
  expect(body).toMatchObject({
    user: { name: 'Alice', role: 'owner' },
    scopes: ['read:documents'],
    authentication: { method: 'api_key', name: 'for the test' },
    expires_at: null,
  })
})

test('a key is shown once, works, is listed without itself, and ends at once', async () => {
  const made = await app.alice.post<ApiKeyCreated>('/api/v1/keys', { name: 'laptop', expires_in_days: 30 })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    scopes: ['read:documents', 'write:documents'],
    last_four: made.body.key.slice(-4),
    last_used_at: null,
  })
  expect(Date.parse(made.body.expires_at!) - Date.parse(made.body.created_at)).toBeGreaterThan(29 * 86_400_000)
  const laptop = apiClient(app.url, made.body.key)
  expect((await laptop.get<Me>('/api/v1/me')).body.expires_at).toBe(made.body.expires_at)
  const listed = (await app.alice.get<ApiKeyList>('/api/v1/keys?limit=100')).body.keys.find(({ id }) => id === made.body.id)
  expect(listed?.last_used_at).not.toBeNull()
  expect(JSON.stringify(listed)).not.toContain(made.body.key)
  expect((await app.alice.call('DELETE', `/api/v1/keys/${made.body.id}`)).status).toBe(204)
  expect((await laptop.get('/api/v1/me')).status).toBe(401)
  expect((await app.alice.call('DELETE', `/api/v1/keys/${made.body.id}`)).status).toBe(404)
})

test('a key gives no more than its maker has', async () => {
  const narrow = await app.aliceWith('manage:keys', 'read:documents')
  expect(await narrow.post('/api/v1/keys', { name: 'wider', scopes: ['read:documents', 'write:documents'] })).toMatchObject({
    status: 403,
    body: { code: errorCode('insufficient_scope'), scope: 'write:documents' },
  })
  expect(await narrow.post<ApiKeyCreated>('/api/v1/keys', { name: 'default' })).toMatchObject({
    status: 201,
    body: { scopes: ['read:documents'] },
  })
})
