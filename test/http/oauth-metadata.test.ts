import { afterAll, beforeAll, expect, test } from 'vitest'
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
    device_authorization_endpoint: `${PUBLIC_URL}/api/oauth/device`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    scopes_supported: ['read:documents', 'write:documents', 'manage:keys'],
  })
})

test('a 401 leads to the metadata of the API, which lead to the authorization server', async () => {
  const { headers } = await app.stranger.get('/api/v1/me')
  expect(headers.get('www-authenticate')).toContain(`resource_metadata="${PUBLIC_URL}${RESOURCE}"`)
  const { body } = await app.stranger.get(RESOURCE)
  expect(body).toMatchObject({ resource: PUBLIC_URL, authorization_servers: [PUBLIC_URL], bearer_methods_supported: ['header'] })
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

test('websites of other origins may read the metadata and nothing else', async () => {
  for (const path of [SERVER, RESOURCE]) {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await fetch(app.url + path, { method, headers: { Origin: 'https://app.example.com' } })
      expect([headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')], method).toEqual([
        '*',
        '*',
      ])
    }
  }
  for (const path of ['/api/oauth/token', '/api/v1/me']) {
    const { headers } = await fetch(app.url + path, { method: 'OPTIONS', headers: { Origin: 'https://app.example.com' } })
    expect(headers.get('access-control-allow-origin'), path).toBeNull()
  }
})
