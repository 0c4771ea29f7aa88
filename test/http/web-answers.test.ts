import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pages } from '../support/api-table.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, webClient, type WebClient } from '../support/web-client.ts'

let app: TestApp
let owner: WebClient
beforeAll(async () => {
  app = await startTestApp()
  owner = await loggedIn(app, 'alice@example.org')
})
afterAll(() => app?.close())

/** The events are an answer without an end. */
const views = pages.filter(({ path }) => path !== '/events')
const paths = [...new Set(views.map(({ path }) => path.replace(':id', 'style.css')))]
const gets = views.filter(({ method }) => method === 'GET')

const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
const SCRIPT_POLICY = `${POLICY}; script-src 'self'; connect-src 'self'`
const SCRIPT = /<script type="module" src="\/assets\/script\.js\?v=[0-9a-f]{16}"><\/script>/g

/** Files that are the same for everybody. */
const IS_FILE = /^\/(?:assets\/|favicon\.ico$|opensearch\.xml$)/

test.each([...paths, '/nothing/here'])('%s forbids other scripts, frames, sniffing and a path in the Referer', async (path) => {
  for (const client of [owner, webClient(app)]) {
    const { headers, html } = await client.get(path)
    const policy = headers.get('content-security-policy')
    if (html.includes('<script')) expect(policy).toBe(SCRIPT_POLICY)
    else expect([POLICY, SCRIPT_POLICY]).toContain(policy)
    expect({
      frames: headers.get('x-frame-options'),
      sniff: headers.get('x-content-type-options'),
      referrer: headers.get('referrer-policy'),
      id: headers.get('x-request-id'),
    }).toEqual({ frames: 'DENY', sniff: 'nosniff', referrer: 'strict-origin', id: expect.stringMatching(/^req_/) })
    if (!IS_FILE.test(path)) expect(headers.get('cache-control')).toBe('no-store')
  }
})

test.each(gets.filter(({ access }) => access !== 'public').map(({ path }) => path.replace(':id', 'none')))(
  '%s has no inline script and no inline style',
  async (path) => {
    const { html, status } = await owner.get(path)
    expect(status).toBeLessThan(500)
    expect(html.replace(SCRIPT, '')).not.toMatch(/<script|<style|\sstyle=|\son\w+=|javascript:/i)
  },
)

test.each([
  '/login',
  '/setup',
  '/setup?token=none',
  '/logged-out',
  '/device',
  '/api/oauth/authorize',
  '/settings/profile',
  '/nothing/here',
])('%s has no script, and its policy allows none', async (path) => {
  for (const client of [owner, webClient(app)]) {
    const { headers, html } = await client.get(path)
    expect(headers.get('content-security-policy')).toBe(POLICY)
    expect(html).not.toContain('<script')
  }
})

test('the script and the style sheet are small, and browsers keep them for a year', async () => {
  const { html } = await owner.get('/')
  for (const [name, most] of [
    ['script.js', 10_000],
    ['style.css', 10_000],
  ] as const) {
    const [path = ''] = new RegExp(`/assets/${name}\\?v=[0-9a-f]{16}`).exec(html) ?? []
    const response = await fetch(app.url + path)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(gzipSync(await response.text()).length, name).toBeLessThanOrEqual(most)
  }
})

test.each(gets.filter(({ access }) => access === 'user' || access === 'owner').map(({ path }) => path.replace(':id', 'none')))(
  '%s without a session redirects to the login',
  async (path) => {
    const page = await webClient(app).get(path)
    expect([page.status, page.location]).toEqual([303, `/login?return_to=${encodeURIComponent(path)}`])
  },
)

test('HEAD is GET without the body', async () => {
  for (const path of ['/login', '/settings/profile', '/assets/style.css', '/setup?token=x']) {
    const [head, get] = [await owner.send('HEAD', path, null, {}), await owner.get(path)]
    expect([path, head.status, head.headers.get('content-type'), head.html]).toEqual([
      path,
      get.status,
      get.headers.get('content-type'),
      '',
    ])
  }
})

test.each([
  ['PUT', '/login', 'HEAD, GET, POST, OPTIONS'],
  ['DELETE', '/settings/api-keys', 'HEAD, GET, POST, OPTIONS'],
  ['GET', '/logout', 'POST, OPTIONS'],
  ['POST', '/settings/users', 'HEAD, GET, OPTIONS'],
  ['PATCH', '/api/oauth/authorize', 'HEAD, GET, POST, OPTIONS'],
])('%s %s is 405 with Allow', async (method, path, allow) => {
  const page = await owner.send(method, path, null, {})
  expect([page.status, page.headers.get('allow'), page.headers.get('content-type')]).toEqual([
    405,
    allow,
    'text/html; charset=utf-8',
  ])
  expect((await owner.send('OPTIONS', path, null, {})).status).toBe(204)
})

test('an unknown path is a page for a browser, and a problem for a program and below /api', async () => {
  const html = await owner.get('/nothing')
  expect([html.status, html.text]).toEqual([404, expect.stringContaining('Not found')])
  expect(html.text).toContain(html.headers.get('x-request-id'))
  for (const [path, accept] of [
    ['/nothing', '*/*'],
    ['/nothing', 'application/json'],
    ['/api/nothing', 'text/html'],
    ['/.well-known/nothing', 'text/html'],
    ['/api/v1/me', 'text/html'],
  ] as const) {
    const { headers, status } = await owner.get(path, { Accept: accept })
    expect([path, headers.get('content-type')]).toEqual([path, 'application/problem+json'])
    expect(status).toBe(path === '/api/v1/me' ? 401 : 404)
  }
})

test('browsers may cache the style sheet for a year under the address that pages use', async () => {
  const { html } = await owner.get('/login?x')
  const [, address = ''] = /rel="stylesheet" href="([^"]+)"/.exec((await webClient(app).get('/login')).html) ?? []
  expect(html).toBe('')
  const style = await webClient(app).get(address)
  expect([style.status, style.headers.get('content-type'), style.headers.get('cache-control')]).toEqual([
    200,
    'text/css; charset=utf-8',
    'public, max-age=31536000, immutable',
  ])
  expect(style.headers.getSetCookie()).toEqual([])
  expect((await webClient(app).get('/assets/style.css?v=old')).headers.get('cache-control')).toBe('no-cache')
  expect((await webClient(app).get('/assets/toString')).status).toBe(404)
})

test('browsers find an icon and a description of the search without a login', async () => {
  const icon = await fetch(`${app.url}/favicon.ico`)
  expect([icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual(['image/x-icon', 'public, max-age=86400'])
  // The header of an icon file with two images.
  expect([...new Uint8Array(await icon.arrayBuffer()).subarray(0, 6)]).toEqual([0, 0, 1, 0, 2, 0])
  for (const client of [owner, webClient(app)])
    expect((await client.get('/login?return_to=%2Fdevice')).html + (await client.get('/nothing')).html).toContain(
      '<link rel="search" type="application/opensearchdescription+xml" title="docsearch" href="/opensearch.xml"',
    )
})

test('the description of the search has the public address', async () => {
  const served = await startTestApp({ publicUrl: 'https://search.example.org/docs', http: { allowedHosts: ['127.0.0.1'] } })
  try {
    for (const [url, base] of [
      [app.url, app.url],
      [served.url, 'https://search.example.org/docs'],
    ] as const) {
      const answer = await fetch(`${url}/opensearch.xml`)
      expect(answer.headers.get('content-type')).toBe('application/opensearchdescription+xml; charset=utf-8')
      expect(await answer.text()).toContain(`template="${base}/?q={searchTerms}"`)
    }
  } finally {
    await served.close()
  }
})

test('over https the cookies are Secure and __Host-, also behind a proxy that ends TLS, and only the public origin may post', async () => {
  const secure = await startTestApp({ publicUrl: 'https://search.example.org', http: { allowedHosts: ['127.0.0.1'] } })
  try {
    const browser = await loggedIn(secure, 'alice@example.org')
    expect([...browser.cookies.keys()]).toEqual(['__Host-docsearch_form', '__Host-docsearch'])
    for (const line of browser.setCookies)
      expect(line).toMatch(/^__Host-docsearch(?:_\w+)?=[^;]*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/)
    const profile = await browser.get('/settings/profile')
    const { csrf } = Object.fromEntries(profile.form('/logout').fields)
    const plain = await browser.post('/logout', { csrf: csrf! }, { Origin: secure.url, 'Sec-Fetch-Site': '' })
    expect(plain.status).toBe(403)
    expect((await browser.post('/logout', { csrf: csrf! })).status).toBe(303)
  } finally {
    await secure.close()
  }
})

test('X-Forwarded-Proto is ignored', async () => {
  const page = await webClient(app).get('/login', { 'X-Forwarded-Proto': 'https' })
  expect(page.headers.getSetCookie()).toEqual([expect.stringMatching(/^docsearch_\d+_form=[\w-]{43}; (?!.*Secure)/)])
})

test('an internal error is a page without details, and with the request ID', async () => {
  const broken = await startTestApp({
    change: (services) => ({
      accounts: {
        ...services.accounts,
        listSessions: async () => {
          throw new Error('secret path /var/lib/x')
        },
      },
    }),
  })
  try {
    const page = await (await loggedIn(broken, 'alice@example.org')).get('/settings/profile')
    expect([page.status, page.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8'])
    expect(page.text).toContain(page.headers.get('x-request-id'))
    expect(page.html).not.toMatch(/secret|\/var/)
  } finally {
    await broken.close()
  }
})
