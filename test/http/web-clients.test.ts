import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'
import { errorCode } from '../support/codes.ts'

const NEW = '/settings/clients/new'
const VALID = { name: 'Notes', redirect_uris: 'https://notes.example.com/cb\nhttp://127.0.0.1/cb\n' }

let app: TestApp
let bob: WebClient
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())
beforeEach(async () => {
  bob = await loggedIn(app, 'bob@example.org')
})

async function register(values: Record<string, string | string[]> = {}) {
  return bob.finish(await bob.get(NEW), '/settings/clients', { ...VALID, ...values })
}

/** Returns the error of the token endpoint: `invalid_client` for a wrong secret, else `invalid_grant`, because the code is unknown. */
async function authenticate(client_id: string, client_secret: string): Promise<string> {
  const response = await fetch(`${app.url}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: '0'.repeat(64),
      redirect_uri: 'https://notes.example.com/cb',
      client_id,
      client_secret,
    }),
  })
  return ((await response.json()) as { error: string }).error
}

test('a new application shows its secret once, and the secret works at the token endpoint', async () => {
  const page = await register({ scopes: ['read:documents'] })
  const [id, secret] = [page.field('client-id')!, page.field('client-secret')!]
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(secret).toMatch(/^dss_[\w-]{43}$/)
  expect([await authenticate(id, secret), await authenticate(id, `${secret}x`)]).toEqual([
    errorCode('invalid_grant'),
    errorCode('invalid_client'),
  ])

  const shown = await bob.get(`/settings/clients/${id}`)
  expect(shown.html).not.toContain(secret)
  for (const part of [id, 'https://notes.example.com/cb', 'http://127.0.0.1/cb', `dss_…${secret.slice(-4)}`, app.url])
    expect(shown.text).toContain(part)
  expect((await bob.get('/settings/clients')).text).toContain('Notes')
})

test('a public application has no secret and cannot get one', async () => {
  const page = await register({ type: 'public' })
  const id = page.field('client-id')!
  expect([page.field('client-secret'), page.text]).toEqual([undefined, expect.stringContaining('It is public and has no secret')])
  const { csrf } = Object.fromEntries((await bob.get(`/settings/clients/${id}`)).form('/logout').fields)
  expect((await bob.post(`/settings/clients/${id}/rotate`, { csrf: csrf!, grace_seconds: '0' })).status).toBe(409)
})

test.each([
  ['javascript:alert(1)', 'has the scheme javascript:'],
  ['data:text/html,x', 'has the scheme data:'],
  ['http://notes.example.com/cb', 'is http'],
  ['https://notes.example.com/cb#x', 'has a fragment'],
  ['https://a:b@notes.example.com/', 'has a user name'],
  ['/callback', 'is not an absolute address'],
  ['  ', 'Enter at least one address.'],
  [`https://notes.example.com/cb\nhttps://notes.example.com/cb#y`, 'has a fragment'],
])('the redirect address %j is refused at its field, and the form keeps its values', async (redirect_uris, why) => {
  const page = await register({ name: 'Refused', redirect_uris, scopes: ['manage:keys'] })
  expect([page.status, page.text]).toEqual([422, expect.stringContaining(why)])
  expect([page.field('name'), page.field('redirect_uris'), page.field('scopes')]).toEqual([
    'Refused',
    redirect_uris,
    'manage:keys',
  ])
  expect((await bob.get('/settings/clients')).text).not.toContain('Refused')
})

test.each([
  [{ name: '' }, 'Enter a name.'],
  [{ scopes: [] }, 'Choose at least one permission.'],
  [{ type: 'secret' }, 'Choose one of the two.'],
])('a form with %j registers no application', async (wrong, why) => {
  const page = await register(wrong)
  expect([page.status, page.text]).toEqual([422, expect.stringContaining(why)])
})

test('new redirect addresses apply after an edit', async () => {
  const id = (await register()).field('client-id')!
  const path = `/settings/clients/${id}/edit`
  const form = await bob.get(path)
  expect([form.field('redirect_uris'), form.field('scopes')]).toEqual([VALID.redirect_uris.trim(), 'write:documents'])
  const bad = await bob.submit(form, path, { redirect_uris: 'ftp://x' })
  expect([bad.status, bad.text]).toEqual([422, expect.stringContaining('has the scheme ftp:')])
  const after = await bob.follow(
    await bob.submit(form, path, { name: 'Renamed', redirect_uris: 'https://notes.example.com/new' }),
  )
  expect(after.text).toMatch(/The application was saved\./)
  expect(after.text).toContain('Renamed')
  const ask = (redirect_uri: string) =>
    bob.get(`/api/oauth/authorize?${new URLSearchParams({ client_id: id, response_type: 'code', redirect_uri })}`)
  expect((await ask('https://notes.example.com/cb')).status).toBe(400)
  expect((await ask('https://notes.example.com/new')).text).toContain('Allow Renamed')
})

test('after a rotation the old secret works for the chosen time', async () => {
  const created = await register()
  const [id, first] = [created.field('client-id')!, created.field('client-secret')!]
  const rotate = async (grace_seconds: string) =>
    bob.finish(await bob.get(`/settings/clients/${id}`), `/settings/clients/${id}/rotate`, { grace_seconds })
  const second = (await rotate('3600')).field('client-secret')!
  expect([await authenticate(id, first), await authenticate(id, second)]).toEqual([
    errorCode('invalid_grant'),
    errorCode('invalid_grant'),
  ])
  const third = (await rotate('0')).field('client-secret')!
  expect([await authenticate(id, first), await authenticate(id, second), await authenticate(id, third)]).toEqual([
    errorCode('invalid_client'),
    errorCode('invalid_client'),
    errorCode('invalid_grant'),
  ])
  for (const wrong of ['-1', '99999999', 'soon', '']) expect((await rotate(wrong)).status).toBe(400)
})

test('a connection is listed and works until the user ends it or the application is deleted', async () => {
  const created = await register({ name: 'Connected one' })
  const [client_id, client_secret] = [created.field('client-id')!, created.field('client-secret')!]
  const redirect_uri = 'https://notes.example.com/cb'
  const alice = await loggedIn(app, 'alice@example.org')
  /** Connects Alice, and returns a function that gives the status of a request with her token. */
  const connect = async () => {
    const query = new URLSearchParams({ client_id, response_type: 'code', redirect_uri, scope: 'read:documents' })
    const consent = await alice.get(`/api/oauth/authorize?${query}`)
    const answer = await alice.submit(consent, '/api/oauth/authorize', {}, 'Allow')
    const code = new URL(answer.location!).searchParams.get('code')!
    const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri, client_id, client_secret })
    const token = await fetch(`${app.url}/api/oauth/token`, { method: 'POST', body })
    const { access_token } = (await token.json()) as { access_token: string }
    return async () => (await fetch(`${app.url}/api/v1/me`, { headers: { Authorization: `Bearer ${access_token}` } })).status
  }

  const firstStatus = await connect()
  expect(await firstStatus()).toBe(200)
  const path = `/settings/connections/${client_id}/disconnect`
  expect((await alice.get('/settings/connections')).text).toContain('Connected one')
  const ended = await alice.follow(await alice.submit(await alice.get(path), path))
  expect([ended.text.includes('The application was disconnected.'), ended.text.includes('Connected one')]).toEqual([true, false])
  expect(await firstStatus()).toBe(401)
  expect((await alice.get(path)).status).toBe(404)

  const secondStatus = await connect()
  expect(await secondStatus()).toBe(200)
  const remove = `/settings/clients/${client_id}/delete`
  const gone = await bob.follow(await bob.submit(await bob.get(remove), remove))
  expect(gone.text).toContain('The application was deleted')
  expect(await secondStatus()).toBe(401)
  expect((await alice.get('/settings/connections')).text).not.toContain('Connected one')
  expect((await bob.get(`/settings/clients/${client_id}`)).status).toBe(404)
})
