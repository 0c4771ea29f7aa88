import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, PASSWORD, webClient, type WebClient } from '../support/web-client.ts'

let app: TestApp
let browser: WebClient
let users = 0
let email: string
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())
beforeEach(async () => {
  email = `user${++users}@example.org`
  await app.backend.records.users.create({ name: 'Person', email, role: 'member' })
  browser = await loggedIn(app, email)
})

const isLoggedOut = async (client: WebClient) => (await client.get('/settings/profile')).location?.startsWith('/login') === true

test('a user changes their name and email address, and logs in with the new address', async () => {
  const page = await browser.submit(await browser.get('/settings/profile'), '/settings/profile', {
    name: ' Zoë <b>&amp; ',
    email: `new-${email}`,
  })
  const after = await browser.follow(page)
  expect([after.field('name'), after.field('email')]).toEqual(['Zoë <b>&amp;', `new-${email}`])
  expect(after.text).toContain('Your profile was saved.')
  expect(after.html).not.toContain('Zoë <b>')
  // The message is shown once.
  expect((await browser.get('/settings/profile')).text).not.toContain('was saved')
  expect((await webClient(app).logIn(`new-${email}`, PASSWORD)).status).toBe(303)
})

test('an address of another user is refused', async () => {
  const page = await browser.submit(await browser.get('/settings/profile'), '/settings/profile', { email: 'BOB@example.org' })
  expect([page.status, page.field('email'), page.text]).toEqual([
    422,
    'BOB@example.org',
    expect.stringContaining('A user with the address'),
  ])
  expect((await browser.get('/settings/profile')).field('email')).toBe(email)
})

test('a new password needs the current one, ends the other sessions and gives this browser a new session', async () => {
  const other = await loggedIn(app, email)
  const change = async (values: Record<string, string>) =>
    browser.submit(await browser.get('/settings/profile'), '/settings/password', {
      current_password: PASSWORD,
      password: 'a different phrase',
      password_again: 'a different phrase',
      ...values,
    })
  for (const wrong of [{ current_password: 'wrong' }, { password_again: 'x' }, { password: 'short', password_again: 'short' }]) {
    const page = await change(wrong)
    expect([page.status, page.text]).toEqual([422, expect.stringContaining('Your password was not changed')])
    expect(page.html).not.toContain('a different phrase')
  }
  expect(await isLoggedOut(other)).toBe(false)

  const stolen = webClient(app)
  for (const [name, value] of browser.cookies) stolen.cookies.set(name, value)
  const page = await browser.follow(await change({}))
  expect(page.text).toContain('Your password was changed')
  expect(page.text.match(/This browser/g)).toHaveLength(1)
  expect([await isLoggedOut(other), await isLoggedOut(stolen), await isLoggedOut(browser)]).toEqual([true, true, false])
  expect((await webClient(app).logIn(email, PASSWORD)).status).toBe(422)
  expect((await webClient(app).logIn(email, 'a different phrase')).status).toBe(303)
})

test('sessions are listed, and one or all others can be ended', async () => {
  const phone = webClient(app)
  const login = await phone.get('/login')
  const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Mobile Safari/604.1'
  const { csrf } = Object.fromEntries(login.form('/login').fields)
  await phone.post('/login', { csrf: csrf!, email, password: PASSWORD }, { 'User-Agent': agent })
  const [tablet, desk] = [await loggedIn(app, email), await loggedIn(app, email)]

  const page = await browser.get('/settings/profile')
  expect(page.text).toContain('Safari on iOS')
  expect(page.text.match(/IP address/g)).toHaveLength(4)
  const [phoneSession] = (await sessionsOf()).filter(({ userAgent }) => userAgent === agent)
  const ended = await browser.follow(await browser.submit(page, `/settings/sessions/${phoneSession!.id}/end`))
  expect(ended.text).toContain('That browser was logged out.')
  expect([await isLoggedOut(phone), await isLoggedOut(tablet), await isLoggedOut(browser)]).toEqual([true, false, false])

  await browser.submit(ended, '/settings/sessions/end-others')
  expect([await isLoggedOut(tablet), await isLoggedOut(desk), await isLoggedOut(browser)]).toEqual([true, true, false])
  expect((await browser.get('/settings/profile')).text.match(/IP address/g)).toHaveLength(1)
})

async function sessionsOf() {
  const user = await app.backend.records.users.findByEmail(email)
  return app.backend.accounts.listSessions(user!.id)
}
