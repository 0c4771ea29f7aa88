import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, PASSWORD, webClient } from '../support/web-client.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ loginFailures: 5 })
  for (const email of ['alice@example.org', 'bob@example.org']) {
    const user = await app.backend.records.users.findByEmail(email)
    await app.backend.accounts.setPassword(user!.id, PASSWORD)
  }
})
afterAll(() => app?.close())

const sessionName = () => `docsearch_${new URL(app.url).port}`

test('the start page leads to the login, and the login leads back', async () => {
  const browser = webClient(app)
  const login = await browser.follow(await browser.get('/'))
  expect(login.text).toContain('Log in')
  const page = await browser.follow(await browser.submit(login, '/login', { email: 'Alice@Example.org', password: PASSWORD }))
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('alice@example.org')])
  expect((await browser.get('/login')).location).toBe('/')
  expect((await browser.get('/login?return_to=/device')).location).toBe('/device')
})

test('the cookie is limited to this host and path, hidden from scripts and other sites, and has the port in its name', async () => {
  const browser = await loggedIn(app, 'alice@example.org')
  const [line] = browser.setCookies.filter((cookie) => cookie.startsWith(`${sessionName()}=`))
  expect(line).toMatch(/^docsearch_\d+=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
})

test('a wrong password, an unknown address and an empty form look the same, and start no session', async () => {
  const texts = []
  for (const values of [
    { email: 'bob@example.org', password: 'wrong' },
    { email: 'nobody@example.org', password: 'wrong' },
    { email: '', password: '' },
  ]) {
    const browser = webClient(app)
    const page = await browser.submit(await browser.get('/login'), '/login', values)
    expect([page.status, page.field('email'), page.field('password')]).toEqual([422, values.email, ''])
    texts.push(page.text)
    expect(browser.cookies.has(sessionName())).toBe(false)
  }
  expect(new Set(texts).size).toBe(1)
})

test('the session id changes at login, and the one before no longer works', async () => {
  const browser = await loggedIn(app, 'alice@example.org')
  const first = browser.cookies.get(sessionName())!
  // The login page redirects a user with a session, so this posts the form directly.
  const { csrf } = Object.fromEntries((await browser.get('/settings/profile')).form('/logout').fields)
  const page = await browser.post('/login', { csrf: csrf!, email: 'bob@example.org', password: PASSWORD })
  expect([page.status, page.location]).toEqual([303, '/'])
  expect(browser.cookies.get(sessionName())).not.toBe(first)
  expect((await browser.get('/settings/profile')).text).toContain('bob@example.org')
  const planted = webClient(app)
  planted.cookies.set(sessionName(), first)
  expect((await planted.get('/settings/profile')).location).toMatch(/^\/login/)
})

test('an invented session id is ignored, and the login gives another one', async () => {
  const browser = webClient(app)
  browser.cookies.set(sessionName(), 'A'.repeat(43))
  expect((await browser.get('/settings')).location).toMatch(/^\/login/)
  await browser.logIn('alice@example.org', PASSWORD)
  expect(browser.cookies.get(sessionName())).not.toBe('A'.repeat(43))
})

test('logging out ends the session, not only the cookie', async () => {
  const browser = await loggedIn(app, 'alice@example.org')
  const token = browser.cookies.get(sessionName())!
  const page = await browser.follow(await browser.submit(await browser.get('/settings/profile'), '/logout'))
  expect(page.text).toContain('You are logged out')
  expect(browser.cookies.has(sessionName())).toBe(false)
  browser.cookies.set(sessionName(), token)
  expect((await browser.get('/settings/profile')).location).toMatch(/^\/login/)
})

test.each([
  ['/settings/api-keys?x=1', '/settings/api-keys?x=1'],
  ['/settings/clients#part', '/settings/clients'],
  ['/?q=who+pays+%26+when', '/?q=who+pays+%26+when'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/\n/evil.example', '/'],
  ['/.//evil.example', '/'],
  ['https://evil.example/', '/'],
  ['evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['', '/'],
])('return_to=%j leads to %s', async (sent, expected) => {
  const browser = webClient(app)
  const login = await browser.get(`/login?return_to=${encodeURIComponent(sent)}`)
  const page = await browser.submit(login, '/login', { email: 'alice@example.org', password: PASSWORD })
  expect([page.status, page.location]).toEqual([303, expected])
  // A forged field in the form leads to the same address.
  const again = webClient(app)
  const forged = await again.submit(await again.get('/login'), '/login', {
    email: 'alice@example.org',
    password: PASSWORD,
    return_to: sent,
  })
  expect(forged.location).toBe(expected)
})

test('a repeated return_to is ignored', async () => {
  const page = await webClient(app).get('/login?return_to=/device&return_to=//evil.example')
  expect([page.status, page.field('return_to')]).toEqual([200, undefined])
})

test('a login leads back to the page that needed it, with its query', async () => {
  const browser = webClient(app)
  const login = await browser.follow(await browser.get('/device?user_code=BCDF-GHJK&x=%C3%A9'))
  const page = await browser.submit(login, '/login', { email: 'alice@example.org', password: PASSWORD })
  expect(page.location).toBe('/device?user_code=BCDF-GHJK&x=%C3%A9')
})

test('a disabled user is logged out at once and cannot log in', async () => {
  const { records } = app.backend
  const carol = await records.users.create({ name: 'Carol', email: 'carol@example.org', role: 'member' })
  const browser = await loggedIn(app, 'carol@example.org')
  expect((await browser.get('/settings/profile')).status).toBe(200)
  await records.users.setDisabled(carol.id, true)
  expect((await browser.get('/settings/profile')).location).toMatch(/^\/login/)
  expect((await webClient(app).logIn('carol@example.org', PASSWORD)).status).toBe(422)
})

test('a link to a passage leads to the passage after the login', async () => {
  const id = await app.alice.ready('anchor.txt', 'The lantern is in the hall.')
  const answer = await app.alice.post<{ results: { url: string }[] }>('/api/v1/search', { query: 'lantern' })
  const { pathname, search, hash } = new URL(answer.body.results[0]!.url)
  expect([pathname, hash]).toEqual([`/documents/${id}`, '#passage'])
  const browser = webClient(app)
  // A browser sends no fragment.
  const login = await browser.follow(await browser.get(pathname + search))
  const { location } = await browser.logIn('alice@example.org', PASSWORD, login)
  expect(location).toBe(`${pathname}${search}#passage`)
  expect((await browser.get(`/login?${new URLSearchParams({ return_to: pathname + search })}`)).location).toBe(location)
})

test('too many failed logins are 429 with the time to wait, also for the right password', async () => {
  const limited = await startTestApp({ loginFailures: 2 })
  try {
    await limited.backend.accounts.setPassword((await limited.backend.records.users.owner())!.id, PASSWORD)
    for (let i = 0; i < 2; i++) expect((await webClient(limited).logIn('alice@example.org', 'wrong')).status).toBe(422)
    const page = await webClient(limited).logIn('alice@example.org', PASSWORD)
    expect([page.status, Number(page.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(page.text).toMatch(/Too many failed attempts\. Try again in \d+ minutes/)
  } finally {
    await limited.close()
  }
})
