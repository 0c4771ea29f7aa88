import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, PASSWORD, webClient, type WebClient } from '../support/web-client.ts'

let app: TestApp
let owner: WebClient
beforeAll(async () => {
  app = await startTestApp()
  owner = await loggedIn(app, 'alice@example.org')
})
afterAll(() => app?.close())

async function userId(email: string): Promise<string> {
  return (await app.backend.records.users.findByEmail(email))!.id
}

/** Returns the path and token of a one-time link that a page shows. */
function linkOf(value: string | undefined): string {
  expect(value).toMatch(new RegExp(`^${app.url}/setup\\?token=[\\w-]{43}$`))
  return value!.slice(app.url.length)
}

test('a user is invited, chooses a password, and is disabled, enabled and deleted', async () => {
  const invited = await owner.finish(await owner.get('/settings/users/invite'), '/settings/users/invite', {
    email: 'ines@example.org',
  })
  expect([invited.status, invited.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const link = linkOf(invited.field('link'))
  expect((await owner.get('/settings/users')).text).toMatch(/ines Invited/)

  const ines = webClient(app)
  const chosen = { name: 'Ines', password: PASSWORD, password_again: PASSWORD }
  expect((await ines.submit(await ines.get(link), '/setup', chosen)).status).toBe(303)
  expect((await owner.get('/settings/users')).text).not.toMatch(/Ines Invited/)

  const id = await userId('ines@example.org')
  const disable = `/settings/users/${id}/disable`
  const disabled = await owner.follow(await owner.submit(await owner.get(disable), disable))
  expect(disabled.text).toMatch(/The account was disabled/)
  expect((await ines.get('/settings')).location).toMatch(/^\/login/)
  expect((await ines.logIn('ines@example.org', PASSWORD)).status).toBe(422)

  const enabled = await owner.follow(await owner.submit(disabled, `/settings/users/${id}/enable`))
  expect(enabled.text).toContain('The account was enabled.')
  expect((await ines.logIn('ines@example.org', PASSWORD)).status).toBe(303)

  const remove = `/settings/users/${id}/delete`
  await app.backend.records.projects.create({ ownerId: id, name: 'Diary <b>', description: '' })
  const confirmation = await owner.get(remove)
  expect(confirmation.text).toMatch(/with these private projects:\s+Diary <b>, 0 documents/)
  const gone = await owner.follow(await owner.submit(confirmation, remove))
  expect(gone.text).not.toContain('ines@example.org')
  expect((await ines.get('/settings')).location).toMatch(/^\/login/)
})

test('the page and the API show the last login, which a failed login does not change', async () => {
  const { records, accounts } = app.backend
  const before = await records.users.create({ name: 'Lea', email: 'lea@example.org', role: 'member' })
  const lea = `/api/v1/users/${before.id}`
  expect((await app.alice.get(lea)).body).toMatchObject({ last_login_at: null })
  await accounts.setPassword(before.id, PASSWORD)
  await webClient(app).logIn('lea@example.org', 'another horse battery')
  expect((await app.alice.get(lea)).body).toMatchObject({ last_login_at: null })

  await loggedIn(app, 'lea@example.org')
  const { last_login_at: at } = (await app.alice.get<{ last_login_at: string }>(lea)).body
  expect(Date.parse(at)).toBeGreaterThanOrEqual(before.createdAt.getTime())
  const page = await owner.get('/settings/users')
  expect(page.html.slice(page.html.indexOf('Lea'))).toMatch(new RegExp(`Last login[^]*?datetime="${at}"`))
})

test('a reset link is shown to the owner once, and only the newest works', async () => {
  await app.backend.accounts.setPassword(await userId('bob@example.org'), PASSWORD)
  const reset = `/settings/users/${await userId('bob@example.org')}/reset`
  const first = linkOf((await owner.finish(await owner.get('/settings/users'), reset)).field('link'))
  const second = linkOf((await owner.finish(await owner.get('/settings/users'), reset)).field('link'))
  expect([(await webClient(app).get(first)).status, (await webClient(app).get(second)).status]).toEqual([404, 200])
  expect((await owner.get('/settings/users')).html).not.toContain('token=')
})

test.each([
  [{ email: 'nowhere' }, 'This is not an email address'],
  [{ email: 'Bob@Example.org' }, 'A user with the address'],
  [{ email: 'x@example.org', name: 'n'.repeat(201) }, 'A name has at most 200 characters'],
])('an invitation with %j gets an error at its field', async (values, message) => {
  const page = await owner.finish(await owner.get('/settings/users/invite'), '/settings/users/invite', values)
  expect([page.status, page.text, page.field('email')]).toEqual([422, expect.stringContaining(message), values.email])
})

test('the owner cannot be reset, disabled or deleted here', async () => {
  const id = await userId('alice@example.org')
  const { csrf } = Object.fromEntries((await owner.get('/settings/users')).form('/logout').fields)
  for (const verb of ['reset', 'disable', 'enable', 'delete'])
    expect((await owner.post(`/settings/users/${id}/${verb}`, { csrf: csrf! })).status).toBe(404)
  expect((await owner.get('/settings/users')).status).toBe(200)
})

test('a member gets 404 for these pages', async () => {
  const member = await loggedIn(app, 'bob@example.org')
  const profile = await member.get('/settings/profile')
  expect(profile.html).not.toContain('/settings/users')
  const { csrf } = Object.fromEntries(profile.form('/logout').fields)
  const id = await userId('alice@example.org')
  for (const path of ['', '/invite', `/${id}/disable`, `/${id}/delete`])
    expect((await member.get(`/settings/users${path}`)).status).toBe(404)
  for (const path of ['/invite', `/${id}/reset`, `/${id}/disable`, `/${id}/enable`, `/${id}/delete`]) {
    const page = await member.post(`/settings/users${path}`, { csrf: csrf!, email: 'mole@example.org' })
    expect([page.status, page.text]).toEqual([404, expect.not.stringContaining('Alice')])
  }
  expect(await app.backend.records.users.findByEmail('mole@example.org')).toBeNull()
})

test('the list of users unfolds to the projects that the owner may know, and counts the others', async () => {
  const { records } = app.backend
  const alice = await userId('alice@example.org')
  const { id } = await records.users.create({ name: 'Olga', email: 'olga@example.org', role: 'member' })
  await records.projects.create({ ownerId: id, name: 'Secret diary', description: '' })
  const shared = await records.projects.create({ ownerId: alice, name: 'Shared <i>', description: '' })
  await records.members.set(shared.id, id, 'writer')
  const olgasRow = async () => {
    const { text } = await owner.get('/settings/users')
    return text.slice(text.indexOf('Olga'))
  }
  expect(await olgasRow()).toMatch(/2 projects\s*Shared <i>, writer\s+and 1 project that you cannot see/)
  expect((await owner.get('/settings/users')).html).not.toContain('Secret diary')
  expect((await app.alice.get(`/api/v1/users/${id}`)).body).toMatchObject({ project_count: 2 })

  // A project of everyone is one of everybody's.
  await records.members.set(shared.id, id, 'reader')
  await records.members.set(shared.id, null, 'writer')
  expect(await olgasRow()).toMatch(/2 projects\s*Shared <i>, writer/)
  await records.members.remove(shared.id, id)
  expect((await app.alice.get(`/api/v1/users/${id}`)).body).toMatchObject({ project_count: 2 })
})
