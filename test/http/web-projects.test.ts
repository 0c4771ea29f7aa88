import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn, type WebClient, type WebPage } from '../support/web-client.ts'

let app: TestApp
let alice: WebClient
let bob: WebClient
let project: string
beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
  bob = await loggedIn(app, 'bob@example.org')
})
afterAll(() => app?.close())

async function userId(email: string): Promise<string> {
  return (await app.backend.records.users.findByEmail(email))!.id
}

/** Adds a member or changes a role through the form for new members. */
async function add(user: string, role: string): Promise<WebPage> {
  const { csrf } = Object.fromEntries((await alice.get(project)).form('/logout').fields)
  return alice.post(`${project}/members`, { csrf: csrf!, user, role })
}

test('a project is created, renamed and listed with its role', async () => {
  const created = await alice.submit(await alice.get('/projects/new'), '/projects', { name: 'Contracts', description: 'Signed' })
  expect(created.status).toBe(303)
  project = created.location!
  expect((await alice.follow(created)).text).toContain('You manage it.')
  expect((await alice.submit(await alice.get('/projects/new'), '/projects', { name: 'Contracts' })).status).toBe(422)

  const saved = await alice.submit(await alice.get(project), `${project}/settings`, { name: 'Deeds', description: 'Sealed' })
  expect((await alice.follow(saved)).text).toMatch(/Deeds[^]*The project was saved\.[^]*Sealed|Sealed[^]*The project was saved\./)
  expect((await alice.get('/projects')).text).toMatch(/Deeds\s+Manager/)
  expect((await bob.get('/projects')).text).not.toContain('Deeds')
  expect((await bob.get(project)).status).toBe(404)
})

test('a member sees what the role allows, and loses access at once', async () => {
  expect((await alice.follow(await add('bob@example.org', 'reader'))).text).toContain('The new role counts at once.')
  const page = await bob.get(project)
  expect(page.text).toMatch(/You are a reader here/)
  expect(page.forms.map(({ action }) => action)).toEqual(['/logout'])
  expect(page.links).not.toContain(`${project}/delete`)
  expect((await bob.get(`${project}/delete`)).status).toBe(403)
  expect((await bob.get(`${project}/members/remove?user=${await userId('alice@example.org')}`)).status).toBe(403)

  await add('bob@example.org', 'manager')
  expect((await bob.get(project)).links).toContain(`${project}/delete`)

  const remove = `${project}/members/remove?user=${await userId('bob@example.org')}`
  expect((await alice.get(project)).links).toContain(remove)
  const removed = await alice.submit(await alice.get(remove), `${project}/members/remove`)
  expect((await alice.follow(removed)).text).toContain('lost access at once')
  expect((await bob.get(project)).status).toBe(404)
})

test('the page shows the folders with counts, and the last change instead of the creation', async () => {
  const id = project.split('/').at(-1)!
  for (const path of ['alice/a.txt', 'alice/more/b.txt', 'bob/c.txt', 'd.txt'])
    await app.alice.ready(path.split('/').at(-1)!, `A badger in ${path}.`, { project: id, path })
  const page = await alice.get(project)
  expect(page.text).toMatch(/Outside of folders 1 document\s+alice\/ 2 documents\s+bob\/ 1 document/)
  const link = page.links.find((one) => one.includes('alice'))!
  const found = await alice.get(`${link}&q=badger`)
  expect([found.text.includes('alice/more/b.txt'), found.text.includes('bob/c.txt')]).toEqual([true, false])
  const { documents } = (await app.alice.get<{ documents: { id: string }[] }>(`/api/v1/documents?project=${id}`)).body
  const { body } = await app.alice.call<{ updated_at: string }>('PATCH', `/api/v1/documents/${documents[0]!.id}`, {
    json: { tags: ['t'] },
  })
  expect((await alice.get(project)).html).toContain(body.updated_at)
})

test('a member leaves, and the last manager cannot', async () => {
  await add('bob@example.org', 'reader')
  const leave = `${project}/members/remove?user=${await userId('bob@example.org')}`
  expect((await bob.get(project)).links).toContain(leave)
  const left = await bob.submit(await bob.get(leave), `${project}/members/remove`)
  expect(left.location).toBe('/projects')
  expect((await bob.follow(left)).text).toContain('You left the project.')

  const last = `${project}/members/remove?user=${await userId('alice@example.org')}`
  const refused = await alice.submit(await alice.get(last), `${project}/members/remove`)
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('You are still a member')])
  const demoted = await add(await userId('alice@example.org'), 'reader')
  expect([demoted.status, demoted.text]).toEqual([422, expect.stringContaining('The members were not changed')])
})

test('an address without an account gets an invitation, whose link is shown once', async () => {
  const invited = await alice.follow(await add('new@example.org', 'writer'))
  expect([invited.status, invited.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(invited.field('link')).toMatch(/\/setup\?token=[\w-]{43}$/)
  const page = await alice.get(project)
  expect(page.text).toMatch(/new\s+Writer/)
  expect(page.html).not.toContain('token=')
})

test.each([
  ['nobody', 'reader', 'No user has the ID'],
  ['not@an@address', 'reader', 'This is not an email address'],
  ['everyone', 'manager', 'Make individual users managers'],
  ['', 'reader', 'Enter an email address'],
])('the form for members refuses %j as a %s', async (user, role, message) => {
  const page = await add(user, role)
  expect([page.status, page.text]).toEqual([422, expect.stringContaining(message)])
})

test('the private project has no form for members', async () => {
  const [own] = (await app.alice.get<{ projects: { id: string; name: string }[] }>('/api/v1/projects')).body.projects.filter(
    ({ name }) => name === 'default',
  )
  const page = await alice.get(`/projects/${own?.id ?? (await makeDefault())}`)
  expect(page.text).toContain('This project is private.')
  expect(page.forms.map(({ action }) => action)).not.toContainEqual(expect.stringMatching(/members$/))
})

async function makeDefault(): Promise<string> {
  const ownerId = await userId('alice@example.org')
  return (await app.backend.records.projects.create({ ownerId, name: 'default', description: '' })).id
}

test('a project is deleted after a confirmation that counts its documents, including those in the trash', async () => {
  const id = project.split('/').at(-1)!
  const { documents } = (await app.alice.get<{ documents: { id: string; sha256: string }[] }>(`/api/v1/documents?project=${id}`))
    .body
  await app.alice.call('DELETE', `/api/v1/documents/${documents[0]!.id}`)
  const confirmation = await alice.get(`${project}/delete`)
  expect(confirmation.text).toMatch(
    /Deeds\s+will be deleted with its 3 documents\s+and 1 document in the trash, also for 1 other member/,
  )
  const deleted = await alice.submit(confirmation, `${project}/delete`)
  expect((await alice.follow(deleted)).text).toContain('The project was deleted')
  expect((await alice.get(project)).status).toBe(404)

  // A sweep deletes originals that no row refers to.
  const { records } = app.backend
  expect((await app.alice.get('/api/v1/documents?trashed=true')).body).toMatchObject({ documents: [] })
  for (const { sha256 } of documents) expect(await records.documents.isBlobReferenced(sha256)).toBe(false)
})
