import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { loggedIn, PASSWORD, webClient, type WebClient, type WebPage } from '../support/web-client.ts'

/** The pages of one WebClient are the tabs of one browser: they share its cookies. */
const ALICE = ['alice@example.org', PASSWORD] as const
const BOB = ['bob@example.org', PASSWORD] as const
const AUTHORIZE = '/api/oauth/authorize'
const KEYS = '/settings/api-keys'

let app: TestApp
let consentPath: string
let browser: WebClient
beforeAll(async () => {
  app = await startTestApp()
  const { records, accounts, oauth } = app.backend
  for (const [email] of [ALICE, BOB]) await accounts.setPassword((await records.users.findByEmail(email))!.id, PASSWORD)
  const redirectUri = 'https://app.example.com/callback'
  const { id } = (await records.users.owner())!
  const made = await oauth.applications.create({ ownerId: id, name: 'Notes', type: 'confidential', redirectUris: [redirectUri] })
  const query = { response_type: 'code', client_id: made.application.id, redirect_uri: redirectUri, state: 'a b&é"<>%00#+' }
  consentPath = `${AUTHORIZE}?${new URLSearchParams(query)}`
})
afterAll(() => app?.close())
beforeEach(() => {
  browser = webClient(app)
})

const sessionOf = ({ cookies }: WebClient) => cookies.get(`docsearch_${new URL(app.url).port}`)
const atLogin = (returnTo: string) => browser.get(`/login?${new URLSearchParams({ return_to: returnTo })}`)
const logOut = async () => browser.submit(await browser.get('/settings/profile'), '/logout')
const userOf = async (client = browser) => (await client.get('/settings/profile')).field('email')

async function inviteOf(name: string): Promise<string> {
  const email = `${name.toLowerCase()}@example.org`
  const user = await app.backend.records.users.create({ name, email, role: 'member' })
  return `/setup?token=${(await app.backend.accounts.issueLink(user.id, 'invitation')).token}`
}

describe('two tabs wait at the login', () => {
  test('and the user logs in in each: each goes where it wanted to, and the forms of the first still work', async () => {
    const [first, second] = [await atLogin(consentPath), await atLogin(KEYS)]
    const consent = await browser.follow(await browser.logIn(...ALICE, first))
    const session = sessionOf(browser)
    const page = await browser.logIn(...ALICE, second)
    expect([page.status, page.location]).toEqual([303, KEYS])
    expect(sessionOf(browser)).toBe(session)
    expect((await browser.submit(consent, AUTHORIZE, {}, 'Allow')).location).toContain('code=')
  })

  test('and another user logs in in the second: a new session of that user', async () => {
    const [first, second] = [await atLogin('/'), await atLogin(KEYS)]
    await browser.logIn(...ALICE, first)
    const session = sessionOf(browser)
    expect((await browser.logIn(...BOB, second)).location).toBe(KEYS)
    expect([sessionOf(browser) === session, await userOf()]).toEqual([false, 'bob@example.org'])
    const former = webClient(app)
    former.cookies.set(`docsearch_${new URL(app.url).port}`, session!)
    expect((await former.get('/settings/profile')).location).toMatch(/^\/login/)
  })

  test('and the password in the second is wrong: its form is shown again, and works', async () => {
    const [first, second] = [await atLogin('/'), await atLogin(KEYS)]
    await browser.logIn(...ALICE, first)
    const wrong = await browser.logIn('alice@example.org', 'wrong', second)
    expect([wrong.status, await userOf()]).toEqual([422, 'alice@example.org'])
    expect((await browser.logIn(...ALICE, wrong)).location).toBe(KEYS)
  })

  test('and the user logs in and out in the first: the second logs in', async () => {
    const [first, second] = [await atLogin('/'), await atLogin(KEYS)]
    await browser.logIn(...ALICE, first)
    await logOut()
    expect((await browser.logIn(...ALICE, second)).location).toBe(KEYS)
    expect(await userOf()).toBe('alice@example.org')
  })

  test('and another site, or another browser, posts the second: refused', async () => {
    const [first, second] = [await atLogin('/'), await atLogin('/')]
    await browser.logIn(...ALICE, first)
    const fields = { ...Object.fromEntries(second.form('/login').fields), email: BOB[0], password: BOB[1] }
    const stranger = await loggedIn(app, 'bob@example.org')
    for (const page of [
      await browser.post('/login', fields, { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }),
      await browser.post('/login', { ...fields, csrf: (await webClient(app).get('/login')).field('csrf')! }),
      await stranger.post('/login', fields),
    ])
      expect([page.status, page.text]).toEqual([403, expect.stringContaining(errorCode('csrf_failed'))])
    expect(await userOf()).toBe('alice@example.org')
  })

  test('and each view of the form extends its cookie without changing it', async () => {
    await atLogin('/')
    await atLogin('/')
    const [one, two] = browser.setCookies
    expect(one).toMatch(/_form=[\w-]{43}; Path=\/; Max-Age=86400;/)
    expect(two).toBe(one)
  })
})

describe('a setup page waits in a tab', () => {
  const account = { password: PASSWORD, password_again: PASSWORD }

  test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['the user logs in in another', async () => {}, () => browser.logIn(...ALICE)],
    ['the user logs out in another', () => browser.logIn(...ALICE), logOut],
  ])('while %s: it works', async (_what, before, meanwhile) => {
    await before()
    const name = `Guest${Math.random().toString(36).slice(2)}`
    const form = await browser.get(await inviteOf(name))
    await meanwhile()
    expect((await browser.submit(form, '/setup', { ...account, name })).location).toBe('/')
    expect(await userOf()).toBe(`${name.toLowerCase()}@example.org`)
  })
})

describe('a form waits in a tab while the user logs out in another', () => {
  /** The view, the form and its fields, and what the user sees after logging in again. */
  test.each<[string, string, Record<string, string>, () => string]>([
    ['/settings/profile', '/settings/profile', { name: 'Other', email: 'other@example.org' }, () => '/settings/profile'],
    ['/settings/profile', '/settings/password', {}, () => '/settings/profile'],
    ['/settings/profile', '/settings/sessions/end-others', {}, () => '/settings/profile'],
    ['/settings/api-keys/new', KEYS, { name: 'laptop', scopes: 'read:documents' }, () => KEYS],
    ['/device?user_code=BCDF-GHJK', '/device', {}, () => '/device?user_code=BCDF-GHJK'],
    ['consent', AUTHORIZE, {}, () => consentPath],
  ])('on %s, the form of %s asks for the login and comes back', async (view, action, fields, expected) => {
    await browser.logIn(...ALICE)
    const form = await browser.get(view === 'consent' ? consentPath : view)
    await logOut()
    const login = await browser.follow(await browser.submit(form, action, fields))
    expect(login.text).toContain('Log in')
    const { location } = await browser.logIn(...ALICE, login)
    const { pathname, searchParams } = new URL((await follow(location!)) ?? '', app.url)
    const wanted = new URL(expected(), app.url)
    expect([pathname, [...searchParams]]).toEqual([wanted.pathname, [...wanted.searchParams]])
    expect(await userOf()).toBe('alice@example.org')
  })

  /** Follows redirects and returns the path of the view at their end. */
  async function follow(path: string): Promise<string> {
    const { location } = await browser.get(path)
    return location?.startsWith('/') === true ? follow(location) : path
  }

  test('the log-out form says that the user is logged out', async () => {
    await browser.logIn(...ALICE)
    const form = await browser.get('/settings/profile')
    await logOut()
    expect((await browser.follow(await browser.submit(form, '/logout'))).text).toContain('You are logged out')
    await browser.logIn(...ALICE)
    expect((await browser.get('/logged-out')).location).toBe('/')
  })
})

describe('a consent waits in a tab while its session changes in another', () => {
  test.each<[string, () => Promise<WebPage>]>([
    [
      'by a new login',
      async () => {
        await logOut()
        return browser.logIn(...ALICE)
      },
    ],
    [
      'by a new password',
      async () => {
        const form = await browser.get('/settings/profile')
        return browser.submit(form, '/settings/password', {
          current_password: PASSWORD,
          password: PASSWORD,
          password_again: PASSWORD,
        })
      },
    ],
  ])('%s: nothing is allowed, and the page leads back to the consent', async (_how, change) => {
    await browser.logIn(...ALICE)
    const consent = await browser.get(consentPath)
    expect((await change()).status).toBe(303)
    const refused = await browser.submit(consent, AUTHORIZE, {}, 'Allow')
    expect([refused.status, refused.location, refused.text]).toEqual([403, null, expect.stringContaining('Nothing was changed')])
    const again = await browser.get(refused.links.find((link) => link.startsWith(AUTHORIZE))!)
    expect((await browser.submit(again, AUTHORIZE, {}, 'Allow')).location).toContain('code=')
  })
})
