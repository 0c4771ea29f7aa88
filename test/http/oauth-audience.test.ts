import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { oauthFlow, type OAuthFlow } from '../support/oauth-flow.ts'

let app: TestApp
let flow: OAuthFlow
beforeAll(async () => {
  app = await startTestApp()
  flow = await oauthFlow(app)
})
afterAll(() => app?.close())

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** Returns the answers of `/mcp` and of endpoints of the API to a token for this resource. */
async function answers(resource: string | null) {
  const { access_token } = await flow.tokens(resource === null ? {} : { resource })
  const headers = { Authorization: `Bearer ${access_token}` }
  const asked = await Promise.all([
    app.stranger.call('POST', '/mcp', { json: LIST, headers }),
    ...['/api/v1/me', '/api/v1/projects', '/api/v1/documents', '/api/v1/health'].map((path) =>
      app.stranger.call('GET', path, { headers }),
    ),
    app.stranger.call('POST', '/api/v1/search', { json: { query: 'rent' }, headers }),
  ])
  return asked.map(({ status, body }) => (status === 200 ? 200 : [status, body['code']]))
}

const REFUSED = [401, errorCode('invalid_token')]

test.each<[resource: string, mcp: boolean, api: boolean]>([
  ['', true, true],
  ['/', true, true],
  ['/mcp', true, false],
  ['/mcp/', true, false],
  ['/mcp/other', false, false],
  ['/mc', false, false],
  ['/api', false, true],
  ['/api/v1', false, true],
])('a token for the resource %j of the instance works at /mcp: %j, in the API: %j', async (path, mcp, api) => {
  expect(await answers(app.url + path)).toEqual([mcp ? 200 : REFUSED, ...Array(5).fill(api ? 200 : REFUSED)])
})

test('a token without a resource works everywhere', async () => {
  expect(await answers(null)).toEqual(Array(6).fill(200))
})

test('the refusal names the resource to ask for, and a refreshed token has the same resource', async () => {
  const first = await flow.tokens({ resource: `${app.url}/mcp` })
  const refused = await flow.api(first.access_token)
  expect(refused.body['detail']).toContain(`Ask for one with resource=${app.url}.`)
  expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
  const { body } = await flow.refresh(first.refresh_token)
  expect((await flow.api(body.access_token)).status).toBe(401)
})
