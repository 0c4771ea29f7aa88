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

test.each(guarded.map(({ method, path, access }) => [method, path, access === 'any' ? 'read:documents' : access]))(
  '%s %s without a credential is 401, and the header has no error but the scope %s and the metadata address',
  async (method, path, scope) => {
    const { status, headers, body } = await app.stranger.call(method, pathOf(path))
    expect([status, body]).toEqual([401, expect.objectContaining({ code: errorCode('unauthorized') })])
    const metadata = `${app.url}/.well-known/oauth-protected-resource${path === '/mcp' ? '/mcp' : ''}`
    expect(headers.get('www-authenticate')).toBe(`Bearer realm="docsearch", scope="${scope}", resource_metadata="${metadata}"`)
  },
)

test.each(scoped.map(({ method, path, access }) => [method, path, access]))(
  '%s %s without its scope is 403 and names the scope',
  async (method, path, access) => {
    const all: Scope[] = ['read:documents', 'write:documents', 'manage:keys']
    const client = await app.aliceWith(...all.filter((scope) => scope !== access))
    const { status, headers, body } = await client.call(method, pathOf(path))
    expect([status, body]).toEqual([403, expect.objectContaining({ code: errorCode('insufficient_scope'), scope: access })])
    expect(headers.get('www-authenticate')).toMatch(new RegExp(`error="insufficient_scope", scope="${access}"`))
  },
)

test.each([
  ['an unknown key', 'Bearer dsk_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa000000'],
  ['a word that is not a key', 'Bearer hello'],
  ['a very long token', `Bearer ${'x'.repeat(8000)}`],
  ['another scheme', 'Basic YTpi'],
  ['a scheme without a credential', 'Bearer'],
])('%s is 401 invalid_token', async (_what, value) => {
  const { status, headers, body } = await app.stranger.call('GET', '/api/v1/me', { headers: { Authorization: value } })
  expect([status, body]).toEqual([401, expect.objectContaining({ code: errorCode('invalid_token') })])
  expect(headers.get('www-authenticate')).toMatch(/error="invalid_token".*, scope="read:documents"/)
})

test('the scheme may be in any case, and a credential in the address is ignored', async () => {
  expect((await app.stranger.call('GET', '/api/v1/me', { headers: { Authorization: `bearer ${app.alice.key}` } })).status).toBe(
    200,
  )
  const { status, body } = await app.stranger.get(`/api/v1/projects?access_token=${app.alice.key}`)
  expect([status, body]).toEqual([401, expect.objectContaining({ code: errorCode('unauthorized') })])
})

test('/me returns the user, the scopes and the credential', async () => {
  const { body } = await (await app.aliceWith('read:documents')).get<Me>('/api/v1/me')
  expect(body).toMatchObject({
    user: { name: 'Alice', role: 'owner' },
    scopes: ['read:documents'],
    authentication: { method: 'api_key', name: 'for the test' },
    expires_at: null,
  })
})

test('a key is shown only when it is created, and works until it is deleted', async () => {
  const created = await app.alice.post<ApiKeyCreated>('/api/v1/keys', { name: 'laptop', expires_in_days: 30 })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    scopes: ['read:documents', 'write:documents'],
    last_four: created.body.key.slice(-4),
    last_used_at: null,
  })
  expect(Date.parse(created.body.expires_at!) - Date.parse(created.body.created_at)).toBeGreaterThan(29 * 86_400_000)
  const laptop = apiClient(app.url, created.body.key)
  expect((await laptop.get<Me>('/api/v1/me')).body.expires_at).toBe(created.body.expires_at)
  const listed = (await app.alice.get<ApiKeyList>('/api/v1/keys?limit=100')).body.keys.find(({ id }) => id === created.body.id)
  expect(listed?.last_used_at).not.toBeNull()
  expect(JSON.stringify(listed)).not.toContain(created.body.key)
  expect((await app.alice.call('DELETE', `/api/v1/keys/${created.body.id}`)).status).toBe(204)
  expect((await laptop.get('/api/v1/me')).status).toBe(401)
  expect((await app.alice.call('DELETE', `/api/v1/keys/${created.body.id}`)).status).toBe(404)
})

test('a key cannot have a scope that its creator lacks', async () => {
  const creator = await app.aliceWith('manage:keys', 'read:documents')
  expect(await creator.post('/api/v1/keys', { name: 'wider', scopes: ['read:documents', 'write:documents'] })).toMatchObject({
    status: 403,
    body: { code: errorCode('insufficient_scope'), scope: 'write:documents' },
  })
  expect(await creator.post<ApiKeyCreated>('/api/v1/keys', { name: 'default' })).toMatchObject({
    status: 201,
    body: { scopes: ['read:documents'] },
  })
})
