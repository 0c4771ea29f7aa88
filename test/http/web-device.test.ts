import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, PASSWORD, webClient, type WebClient } from '../support/web-client.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp
let alice: WebClient
beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
})
afterAll(() => app?.close())

async function oauth(path: string, fields: Record<string, string>) {
  const response = await fetch(`${app.url}/api/oauth/${path}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'docsearch-cli', ...fields }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function start() {
  const { body } = await oauth('device', { scope: 'read:documents' })
  const poll = () =>
    oauth('token', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: body['device_code']! })
  return { userCode: body['user_code']!, complete: body['verification_uri_complete']!, poll }
}

test('typing in the code from a terminal connects it to the user who is logged in', async () => {
  const { userCode, poll } = await start()
  const typed = ` ${userCode.toLowerCase().replace('-', ' ')} `
  const confirm = await alice.submit(await alice.get('/device'), '/device', { user_code: typed })
  expect(confirm.text).toContain(userCode)
  expect(confirm.text).toContain('alice@example.org')
  expect((await poll()).body['error']).toBe(errorCode('authorization_pending'))
  const done = await alice.submit(confirm, '/device/decision', {}, 'Allow')
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('The device is connected')])
  const { status, body } = await poll()
  expect([status, body['scope']]).toEqual([200, 'read:documents'])
  const me = await fetch(`${app.url}/api/v1/me`, { headers: { Authorization: `Bearer ${body['access_token']}` } })
  expect(await me.json()).toMatchObject({ user: { name: 'Alice' } })
})

test('the user sees what the consent view shows of an application: its name, where it comes from, and its scopes', async () => {
  const registrations = app.backend.records.oauth.registrations
  const agent = { name: 'Television', redirectUris: [], scopes: ['read:documents' as const] }
  const { id } = await registrations.create(agent, 10)
  const address = 'https://tv.example.com/client.json'
  await registrations.put({ ...agent, id: address })
  for (const [client_id, ...shown] of [
    [id, 'This application registered itself and chose its own name.'],
    [address, 'This application chose its own name.', 'tv.example.com'],
  ] as const) {
    const user_code = (await oauth('device', { client_id })).body['user_code']!
    const confirm = await alice.submit(await alice.get('/device'), '/device', { user_code })
    expect(confirm.text).toContain('Allow Television on another device?')
    expect(confirm.text).toContain('Search and read')
    for (const text of shown) expect(confirm.text).toContain(text)
    expect(confirm.form('/logout').fields).toContainEqual(['return_to', `/device?user_code=${user_code}`])
  }
  const own = await alice.submit(await alice.get('/device'), '/device', { user_code: (await start()).userCode })
  expect(own.text).not.toContain('chose its own name')
})

test('the user can limit the device to ticked projects', async () => {
  const { records } = app.backend
  const ownerId = (await records.users.findByEmail('alice@example.org'))!.id
  const { id } = await records.projects.create({ ownerId, name: 'Handbook', description: '' })
  const { userCode, poll } = await start()
  const confirm = await alice.submit(await alice.get('/device'), '/device', { user_code: userCode })
  const refused = await alice.submit(confirm, '/device/decision', { reach: 'some' }, 'Allow')
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Choose at least one project.')])
  await alice.submit(refused, '/device/decision', { reach: 'some', projects: [id] }, 'Allow')
  const { body } = await poll()
  const me = await fetch(`${app.url}/api/v1/me`, { headers: { Authorization: `Bearer ${body['access_token']}` } })
  expect(await me.json()).toMatchObject({ projects: [{ id, name: 'Handbook' }] })
})

test('a link with the code asks for the login and fills the code in, without deciding', async () => {
  const { userCode, complete, poll } = await start()
  const browser = webClient(app)
  const login = await browser.follow(await browser.get(complete.slice(app.url.length)))
  expect(login.text).toContain('Log in to connect a device.')
  const page = await browser.follow(await browser.submit(login, '/login', { email: 'alice@example.org', password: PASSWORD }))
  expect(page.field('user_code')).toBe(userCode)
  expect((await poll()).body['error']).toBe(errorCode('authorization_pending'))
})

test('denying on the page denies the device', async () => {
  const { userCode, poll } = await start()
  const confirm = await alice.submit(await alice.get('/device'), '/device', { user_code: userCode })
  expect((await alice.submit(confirm, '/device/decision', {}, 'Deny')).text).toContain('Access denied')
  expect((await poll()).body['error']).toBe(errorCode('access_denied'))
  // The decision is final.
  const again = await alice.submit(confirm, '/device/decision', {}, 'Allow')
  expect([again.status, again.text]).toEqual([422, expect.stringContaining('no longer valid')])
  expect((await poll()).body['error']).not.toBe(undefined)
})

test('an unknown decision connects nothing', async () => {
  const { userCode, poll } = await start()
  const confirm = await alice.submit(await alice.get('/device'), '/device', { user_code: userCode })
  const fields = Object.fromEntries(confirm.form('/device/decision').fields)
  expect((await alice.post('/device/decision', { ...fields, decision: 'perhaps' })).status).toBe(400)
  expect((await poll()).body['error']).toBe(errorCode('authorization_pending'))
})

test('wrong codes are limited for the session and for the address, after which the right code is refused too', async () => {
  const { userCode } = await start()
  const guess = async (client: WebClient, code: string) =>
    client.submit(await client.get('/device'), '/device', { user_code: code })
  const statuses: number[] = []
  const bob = await loggedIn(app, 'bob@example.org')
  for (let i = 0; i < 11; i++) statuses.push((await guess(bob, 'BCDF-BCDF')).status)
  expect(statuses).toEqual([...Array(10).fill(422), 429])
  const limited = await guess(bob, userCode)
  expect([limited.status, Number(limited.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(60)
  expect(limited.text).toMatch(/Try again in \d+ minutes/)
  const { csrf } = Object.fromEntries((await bob.get('/device')).form('/device').fields)
  expect((await bob.post('/device/decision', { csrf: csrf!, user_code: userCode, decision: 'allow' })).status).toBe(429)

  // A new login is a new session, but the address is the same.
  let more = 0
  while (more < 40) {
    const fresh = await loggedIn(app, 'bob@example.org')
    const last = await Promise.all(Array.from({ length: 5 }, () => guess(fresh, 'BCDF-BCDF')))
    more += 5
    if (last.some(({ status }) => status === 429)) break
  }
  expect(more).toBeLessThanOrEqual(25)
})
