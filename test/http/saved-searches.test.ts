import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SavedSearch, SavedSearchList } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

const PATH = '/api/v1/saved-searches'

let app: TestApp
let alice: WebClient
beforeAll(async () => {
  app = await startTestApp()
  await app.alice.ready('lease.txt', 'The notice period is three months.', { project: 'Leases' })
  alice = await loggedIn(app, 'alice@example.org')
})
afterAll(() => app?.close())

test('a search is saved, listed with its address, renamed and deleted', async () => {
  const search = { q: 'notice period', project: 'Leases', tags: 'a,b', after: '2026-01-01', sort: 'newest' }
  const made = await app.bob.post<SavedSearch>(PATH, { search })
  expect([made.status, made.headers.get('location')]).toEqual([201, `${PATH}/${made.body.id}`])
  expect(made.body).toMatchObject({
    name: 'notice period',
    search,
    url: `${app.url}/?q=notice+period&project=Leases&sort=newest&tags=a%2Cb&after=2026-01-01`,
  })
  const second = (await app.bob.post<SavedSearch>(PATH, { name: 'Rents', search: { q: 'rent' } })).body
  expect((await app.bob.get<SavedSearchList>(PATH)).body.saved_searches).toEqual([second, made.body])
  const renamed = await app.bob.call<SavedSearch>('PATCH', `${PATH}/${second.id}`, { json: { name: 'All rents' } })
  expect([renamed.status, renamed.body]).toEqual([200, { ...second, name: 'All rents' }])
  expect((await app.bob.get<SavedSearch>(`${PATH}/${second.id}`)).body).toEqual(renamed.body)
  expect((await app.bob.call('DELETE', `${PATH}/${second.id}`)).status).toBe(204)
  expect(await app.bob.get(`${PATH}/${second.id}`)).toMatchObject({
    status: 404,
    body: { code: errorCode('saved_search_not_found') },
  })
})

test('the same search is saved once, in whatever order its parameters come', async () => {
  const { body } = await app.bob.post<SavedSearch>(PATH, { search: { q: 'twice', project: 'x' } })
  expect(await app.bob.post(PATH, { name: 'Other', search: { project: 'x', q: 'twice' } })).toMatchObject({
    status: 409,
    body: { code: errorCode('saved_search_exists'), id: body.id },
  })
})

test.each([
  ['no question', { search: { project: 'x' } }, 'search.q'],
  ['a blank question', { search: { q: ' ' } }, 'search.q'],
  ['an unknown parameter', { search: { q: 'x', typ: 'pdf' } }, 'search.typ'],
  ['an unknown order', { search: { q: 'x', sort: 'size' } }, 'search.sort'],
  ['a wrong day', { search: { q: 'x', after: 'soon' } }, 'search.after'],
  ['a question that is too long', { search: { q: 'x'.repeat(4001) } }, 'search.q'],
  ['a name that is too long', { name: 'x'.repeat(201), search: { q: 'x' } }, 'name'],
  ['an offset', { search: { q: 'x', offset: '10' } }, 'search.offset'],
])('%s is refused', async (_what, body, path) => {
  const refused = await app.alice.post<{ errors: { path: string }[] }>(PATH, body)
  expect([refused.status, refused.body.errors.map((fault) => fault.path)]).toEqual([400, [path]])
})

test('a user has at most 100 saved searches', async () => {
  const { records } = app.backend
  const { id: userId } = await records.users.create({ name: 'Full', email: 'full@example.org', role: 'member' })
  for (let i = 0; i < 100; i++) await records.savedSearches.create({ userId, name: 'n', parameters: `q=${i}`, maxSearches: 100 })
  const browser = await loggedIn(app, 'full@example.org')
  const { csrf } = Object.fromEntries((await browser.get('/')).form('/logout').fields)
  const sent = await browser.post('/saved-searches', { csrf: csrf!, search: 'q=one+more' })
  expect((await browser.follow(sent)).text).toContain('100 saved searches')
  expect(await records.savedSearches.list(userId)).toHaveLength(100)
})

test('in the browser, a search is saved from its results, and the start page runs, renames and deletes it', async () => {
  const results = await alice.get('/?q=notice+period&sort=newest&offset=0')
  const saved = await alice.finish(results, '/saved-searches', { name: 'Notice <b>' })
  expect(saved.text).toContain('The search was saved.')
  const start = await alice.get('/')
  expect(start.text).toContain('Notice <b>')
  expect(start.links).toContain('/?q=notice+period&sort=newest')
  const again = await alice.finish(await alice.get('/?sort=newest&q=notice+period'), '/saved-searches')
  expect(again.text).toContain('You have saved this search already.')

  const change = start.links.find((link) => link.startsWith('/saved-searches/'))!
  const refused = await alice.submit(await alice.get(change), change, { name: ' ' }, 'Rename')
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Enter a name.')])
  expect((await alice.finish(await alice.get(change), change, { name: 'Periods' })).text).toMatch(/Saved searches\s+Periods/)
  const gone = await alice.finish(await alice.get(change), `${change}/delete`)
  expect(gone.text).toContain('no longer saved')
  expect(gone.links).not.toContain(change)
})

test('a form with a changed search saves only what can be searched, and leads nowhere else', async () => {
  const { csrf } = Object.fromEntries((await alice.get('/')).form('/logout').fields)
  for (const [search, location] of [
    ['q=%20', '/'],
    ['', '/'],
    ['q=x&sort=size', '/'],
    ['//evil.example/?q=x', '/'],
    ['q=fine&next=//evil.example&offset=20', '/?q=fine'],
  ] as const)
    expect((await alice.post('/saved-searches', { csrf: csrf!, search })).location).toBe(location)
  expect((await app.alice.get<SavedSearchList>(PATH)).body.saved_searches.map(({ search }) => search)).toEqual([{ q: 'fine' }])
  const long = await alice.follow(await alice.post('/saved-searches', { csrf: csrf!, search: 'q=other', name: 'x'.repeat(201) }))
  expect(long.text).toContain('A name has at most 200 characters')
})

test('a saved search stays when its project disappears, and says that nothing is searched', async () => {
  const { records } = app.backend
  const bob = (await records.users.findByEmail('bob@example.org'))!
  const owner = (await records.users.findByEmail('alice@example.org'))!
  const { id } = await records.projects.create({ ownerId: owner.id, name: 'Shared for now', description: '' })
  await records.members.set(id, bob.id, 'reader')
  await app.bob.post(PATH, { name: 'In the shared project', search: { q: 'notice', project: id } })
  const browser = await loggedIn(app, 'bob@example.org')
  expect((await browser.get('/')).text).toMatch(/In the shared project\s+in Shared for now/)
  await records.members.remove(id, bob.id)
  const start = await browser.get('/')
  expect(start.text).toMatch(/In the shared project\s+in a project that you can no longer see/)
  expect(start.html).not.toContain('Shared for now')
  const results = await browser.get(`/?q=notice&project=${id}`)
  expect([results.status, results.text]).toEqual([404, expect.stringContaining('You have no such project.')])
})

test('saved searches need the scope for reading or writing, and end with their user', async () => {
  const reader = await app.aliceWith('read:documents')
  const writer = await app.aliceWith('write:documents')
  const refused = { status: 403, body: { code: errorCode('insufficient_scope') } }
  expect((await reader.get(PATH)).status).toBe(200)
  expect(await reader.post(PATH, { search: { q: 'scope' } })).toMatchObject(refused)
  expect(await writer.get(PATH)).toMatchObject(refused)
  expect((await writer.post(PATH, { search: { q: 'scope' } })).status).toBe(201)

  const { records, ingest } = app.backend
  const { id } = await records.users.create({ name: 'Gone', email: 'gone@example.org', role: 'member' })
  await records.savedSearches.create({ userId: id, name: 'n', parameters: 'q=x', maxSearches: 1 })
  await ingest.deleteUser(id)
  expect(await records.savedSearches.list(id)).toEqual([])
})
