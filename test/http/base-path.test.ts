import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { startPathProxy, type PathProxy } from '../support/path-proxy.ts'
import { oauthFlow } from '../support/oauth-flow.ts'
import { pageSamples, USUAL } from '../support/page-samples.ts'
import { readHtml } from '../support/read-html.ts'
import { PASSWORD, webClient } from '../support/web-client.ts'
import { withBasePath } from '../../src/http/middleware/base-path.ts'

/** Attributes whose values can begin with a slash but are no paths. */
const WITHOUT_PATHS = ['value', 'placeholder', 'aria-label', 'title', 'alt', 'data-copy-text', 'pattern', 'd']

describe.each([
  ['keeps it', false],
  ['takes it off', true],
])('below a path, behind a proxy that %s', (_what, strips) => {
  let app: TestApp
  let proxy: PathProxy
  beforeAll(async () => {
    proxy = await startPathProxy('/docs', { strips })
    app = await startTestApp({ publicUrl: proxy.url })
    proxy.to = app.url
    await app.alice.ready('lease.txt', 'The notice period of the lease is three months.')
    const { records, accounts } = app.backend
    await accounts.setPassword((await records.users.findByEmail('alice@example.org'))!.id, PASSWORD)
  })
  afterAll(async () => {
    await app?.close()
    await proxy?.[Symbol.asyncDispose]()
  })

  test('a login from a deep link leads there, and every link stays below the path', async () => {
    const client = webClient({ url: new URL(proxy.url).origin, baseUrl: proxy.url })
    const deep = await client.get('/docs/documents?tab=all')
    expect([deep.status, deep.location]).toEqual([303, '/docs/login?return_to=%2Fdocuments%3Ftab%3Dall'])
    const login = await client.follow(deep)
    const sent = await client.submit(login, '/docs/login', { email: 'alice@example.org', password: PASSWORD })
    expect(sent.location).toBe('/docs/documents?tab=all')
    expect(
      client.setCookies.every((line) => line.includes('; Path=/docs;')),
      client.setCookies.join('\n'),
    ).toBe(true)
    const documents = await client.follow(sent)
    const [link = ''] = documents.links.filter((href) => href.startsWith('/docs/documents/doc_'))
    expect((await client.get(link)).text).toContain('three months')

    const seen = new Set<string>()
    const open = ['/docs/', '/docs/?q=notice', '/docs/api/docs']
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path) || seen.size > 80) continue
      seen.add(path)
      const page = await client.get(path)
      expect(page.status, path).toBeLessThan(400)
      for (const href of page.links.map((href) => href.replace(/#.*/, '')).filter((href) => href.startsWith('/'))) {
        expect(href, `on ${path}`).toMatch(/^\/docs\//)
        open.push(href)
      }
      for (const { action } of page.forms) expect(action, `on ${path}`).toMatch(/^(\/docs\/|$|\?)/)
    }
    expect(seen.size).toBeGreaterThan(15)
    expect((await client.get('/docs/nowhere')).text).toContain('There is nothing at /docs/nowhere.')
    expect(proxy.missed).toEqual([])
  })

  test('metadata, tokens and answers of the API name the path', async () => {
    const metadata = await (await fetch(`${proxy.url}/.well-known/openid-configuration`)).json()
    expect(metadata).toMatchObject({ issuer: proxy.url, token_endpoint: `${proxy.url}/api/oauth/token` })
    const refused = await fetch(`${proxy.url}/mcp`, { method: 'POST', body: '{}' })
    expect(refused.headers.get('www-authenticate')).toContain(`${proxy.url}/.well-known/oauth-protected-resource/mcp`)
    const resource = await (await fetch(`${proxy.url}/.well-known/oauth-protected-resource/mcp`)).json()
    expect(resource).toMatchObject({ resource: `${proxy.url}/mcp`, authorization_servers: [proxy.url] })

    const flow = await oauthFlow(app)
    const { access_token: token } = await flow.tokens({ resource: proxy.url })
    const answer = await fetch(`${proxy.url}/api/v1/search`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: 'notice period' }),
    })
    expect(await answer.json()).toMatchObject({ results: [{ url: expect.stringContaining(`${proxy.url}/documents/doc_`) }] })
    const { access_token: forAgent } = await flow.tokens({ resource: `${proxy.url}/mcp` })
    const headers = { Authorization: `Bearer ${forAgent}`, 'Content-Type': 'application/json' }
    const listed = await fetch(`${proxy.url}/mcp`, {
      method: 'POST',
      headers,
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    expect([listed.status, (await fetch(`${proxy.url}/api/v1/me`, { headers })).status]).toEqual([200, 401])
  })

  test('standards that put the path of the issuer behind the name of the metadata find it', async () => {
    // A proxy passes these paths on as they are, because they are at the root of the host.
    for (const [path, expected] of [
      ['/.well-known/oauth-authorization-server/docs', { issuer: proxy.url }],
      ['/.well-known/openid-configuration/docs', { issuer: proxy.url }],
      ['/.well-known/oauth-protected-resource/docs', { resource: proxy.url }],
      ['/.well-known/oauth-protected-resource/docs/mcp', { resource: `${proxy.url}/mcp` }],
    ] as const)
      expect(await (await fetch(app.url + path)).json(), path).toMatchObject(expected)
    expect((await fetch(`${app.url}/.well-known/oauth-authorization-server/other`)).status).toBe(404)
  })

  test('the API works without the path for programs on the same machine', async () => {
    expect((await app.alice.get('/api/v1/documents')).status).toBe(200)
    expect((await fetch(`${app.url}/docsearch`)).status, 'which only begins like the path').toBe(404)
  })
})

test('over https, the cookies have the path too', async () => {
  const app = await startTestApp({ publicUrl: 'https://example.org/docs' })
  try {
    const client = webClient({ url: app.url, baseUrl: 'https://example.org/docs' })
    await client.get('/docs/login')
    expect(client.setCookies).toEqual([
      expect.stringMatching(/^__Secure-docsearch_form=[^;]+; Path=\/docs; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/),
    ])
  } finally {
    await app.close()
  }
})

test.each(Object.entries(pageSamples(USUAL)))('%s: no address is left without the path', (_name, html) => {
  for (const { tag, attributes } of readHtml(withBasePath(html, '/docs')))
    for (const [name, value] of Object.entries(attributes))
      if (!WITHOUT_PATHS.includes(name)) expect(value, `${tag} ${name}`).not.toMatch(/^(0; url=)?\/(?!docs\/)/)
})
