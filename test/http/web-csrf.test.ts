import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pages } from '../support/api-table.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, PASSWORD, webClient, type WebClient, type WebPage } from '../support/web-client.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
let alice: WebClient
let csrf: string
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())
beforeEach(async () => {
  alice = await loggedIn(app, 'alice@example.org')
  csrf = tokenOf(await alice.get('/settings/profile'), '/logout')
})

function tokenOf(page: WebPage, action: string): string {
  return Object.fromEntries(page.form(action).fields)['csrf']!
}

const POSTS = pages.filter(({ method }) => method === 'POST').map(({ path }) => path.replace(':id', 'some_id'))

test.each(POSTS)('POST %s without a CSRF token, with a wrong one, or from another origin is 403', async (path) => {
  const attempts: [Record<string, string | string[]>, Record<string, string>][] = [
    [{}, {}],
    [{ csrf: '' }, {}],
    [{ csrf: `${csrf}A` }, {}],
    [{ csrf: 'A'.repeat(csrf.length) }, {}],
    [{ csrf: [csrf, csrf] }, {}],
    [{ csrf }, { Origin: 'https://evil.example' }],
    [{ csrf }, { Origin: 'null', 'Sec-Fetch-Site': '' }],
    [{ csrf }, { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
    [{ csrf }, { 'Sec-Fetch-Site': 'cross-site' }],
    [{ csrf }, { 'Sec-Fetch-Site': 'same-site' }],
    // Another port of this host is another origin.
    [{ csrf }, { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': '' }],
  ]
  for (const [fields, headers] of attempts) {
    const page = await alice.post(path, fields, headers)
    expect([page.status, page.text, page.location], JSON.stringify([fields, headers])).toEqual([
      403,
      expect.stringContaining(errorCode('csrf_failed')),
      null,
    ])
    expect(page.text).toMatch(/Nothing was changed.*\n.*reload the page/)
  }
  // None of these requests logged Alice out.
  expect((await alice.get('/settings/profile')).status).toBe(200)
})

test('a login without a CSRF token, or with the token of another browser, is 403', async () => {
  const [hers, other] = [webClient(app), webClient(app)]
  const login = await hers.get('/login')
  await other.get('/login')
  const fields = { email: 'alice@example.org', password: PASSWORD }
  expect((await other.post('/login', fields)).status).toBe(403)
  expect((await other.post('/login', { ...fields, csrf: tokenOf(login, '/login') })).status).toBe(403)
  expect(
    (await hers.post('/login', { ...fields, csrf: tokenOf(login, '/login') }, { Origin: 'https://evil.example' })).status,
  ).toBe(403)
  expect((await hers.post('/login', { ...fields, csrf: tokenOf(login, '/login') })).status).toBe(303)
})

test('a CSRF token works only in its own session', async () => {
  const bob = await loggedIn(app, 'bob@example.org')
  expect((await bob.post('/logout', { csrf })).status).toBe(403)
  const again = await loggedIn(app, 'alice@example.org')
  expect((await again.post('/logout', { csrf })).status).toBe(403)
})

test('a form is accepted with the Origin null and without any Origin', async () => {
  for (const headers of [
    { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
    { Origin: '', 'Sec-Fetch-Site': '' },
    { 'Sec-Fetch-Site': '' },
  ]) {
    expect((await alice.post('/settings/profile', { csrf, name: 'Alice', email: 'alice@example.org' }, headers)).status).toBe(303)
  }
})

test.each([
  ['application/json', '{"csrf":"x"}', 415],
  ['text/plain', 'csrf=x', 415],
  ['multipart/form-data; boundary=b', '--b--', 415],
  ['application/x-www-form-urlencoded; charset=iso-8859-1', 'csrf=x', 415],
  ['application/x-www-form-urlencoded', `csrf=${'x'.repeat(70_000)}`, 413],
])('a body of %s is refused', async (type, body, status) => {
  const page = await alice.post('/settings/profile', body, { 'Content-Type': type })
  expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
})

test('a form with a repeated field is 400 and changes nothing', async () => {
  const page = await alice.post('/settings/profile', { csrf, name: ['A', 'B'], email: 'alice@example.org' })
  expect([page.status, page.text]).toEqual([400, expect.stringContaining(errorCode('invalid_request'))])
  expect((await alice.get('/settings/profile')).field('name')).toBe('Alice')
})

test('fields that a browser extension adds to a form are ignored', async () => {
  const bob = await loggedIn(app, 'bob@example.org')
  const form = await bob.get('/settings/profile')
  const added = { fdprocessedid: 'x1y2', role: 'owner', disabled: '', ['__proto__']: 'x', constructor: 'x' }
  expect((await bob.submit(form, '/settings/profile', { name: 'Bob B.', ...added })).status).toBe(303)
  expect(await app.backend.records.users.findByEmail('bob@example.org')).toMatchObject({
    name: 'Bob B.',
    role: 'member',
    disabledAt: null,
  })
})
