import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow } from '../support/oauth-flow.ts'

const SERVER = '/.well-known/oauth-authorization-server'
const RESOURCE = '/.well-known/oauth-protected-resource'
const PUBLIC_URL = 'https://docs.example.org'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ publicUrl: PUBLIC_URL })
})
afterAll(() => app?.close())

test('the metadata lead from the address of the instance to every endpoint', async () => {
  const { body } = await app.stranger.get(SERVER)
  expect(body).toMatchObject({
    issuer: PUBLIC_URL,
    authorization_endpoint: `${PUBLIC_URL}/api/oauth/authorize`,
    token_endpoint: `${PUBLIC_URL}/api/oauth/token`,
    revocation_endpoint: `${PUBLIC_URL}/api/oauth/revoke`,
    introspection_endpoint: `${PUBLIC_URL}/api/oauth/introspect`,
    registration_endpoint: `${PUBLIC_URL}/api/oauth/register`,
    device_authorization_endpoint: `${PUBLIC_URL}/api/oauth/device`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    scopes_supported: ['read:documents', 'write:documents', 'manage:keys'],
  })
})

test('libraries that look for OpenID find the same metadata', async () => {
  const { body } = await app.stranger.get('/.well-known/openid-configuration')
  expect(body).toEqual((await app.stranger.get(SERVER)).body)
})

test('a 401 leads to the metadata of the API, which lead to the authorization server', async () => {
  const { headers } = await app.stranger.get('/api/v1/me')
  expect(headers.get('www-authenticate')).toContain(`resource_metadata="${PUBLIC_URL}${RESOURCE}"`)
  const { body } = await app.stranger.get(RESOURCE)
  expect(body).toMatchObject({ resource: PUBLIC_URL, authorization_servers: [PUBLIC_URL], bearer_methods_supported: ['header'] })
})

test('the metadata of the API list only the scopes that an application gets by default', async () => {
  expect((await app.stranger.get(RESOURCE)).body).toMatchObject({ scopes_supported: ['read:documents', 'write:documents'] })
  const flow = await oauthFlow(app)
  expect((await flow.tokens({ scope: 'read:documents write:documents' })).scope).toBe('read:documents write:documents')
})

test('every endpoint in the metadata exists', async () => {
  const { body } = await app.stranger.get(SERVER)
  for (const [name, address] of Object.entries(body)) {
    if (!name.endsWith('_endpoint')) continue
    const response = await fetch(String(address).replace(PUBLIC_URL, app.url), { method: 'OPTIONS' })
    expect(response.status, name).toBe(204)
  }
})

test('an authorization answer names the same issuer as the metadata', async () => {
  const flow = await oauthFlow(app)
  expect((await flow.agree()).get('iss')).toBe(PUBLIC_URL)
  expect((await app.stranger.get(SERVER)).body).toMatchObject({ issuer: PUBLIC_URL })
})

describe('a website of another origin', () => {
  const Origin = 'https://app.example.com'
  const preflight = { Origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' }
  const ask = (path: string, init: RequestInit = {}) => fetch(app.url + path, init)

  test.each([SERVER, RESOURCE, '/.well-known/openid-configuration'])('may read %s', async (path) => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await ask(path, { method, headers: { Origin } })
      expect([headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')]).toEqual(['*', '*'])
    }
  })

  test.each(['/api/oauth/token', '/api/oauth/revoke'])('may call %s and read its refusals', async (path) => {
    const asked = await ask(path, { method: 'OPTIONS', headers: preflight })
    expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([204, 'POST'])
    // A wildcard does not include Authorization.
    expect(asked.headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type, *')
    for (const init of [
      { method: 'POST', body: '{' },
      { method: 'POST', body: new URLSearchParams({ client_id: 'app_x' }) },
    ]) {
      const { status, headers } = await ask(path, { ...init, headers: { Origin } })
      expect([status, headers.get('access-control-allow-origin')]).toEqual([expect.any(Number), '*'])
      expect(status).toBeGreaterThanOrEqual(400)
      // The answer never depends on a cookie, so the browser need not send any.
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test.each(['/api/oauth/introspect', '/api/oauth/device', '/api/oauth/authorize', '/api/v1/me', '/api/v1/search', '/login'])(
    'may not read %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { headers } = await ask(path, { method, headers: method === 'OPTIONS' ? preflight : { Origin } })
        expect(headers.get('access-control-allow-origin'), method).toBeNull()
      }
    },
  )
})
