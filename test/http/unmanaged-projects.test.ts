import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MemberList, Project, UnmanagedProjectList } from '../../src/contract/projects.ts'
import type { UserCreated, UserDeletion } from '../../src/contract/users.ts'
import { SCOPES } from '../../src/core/model.ts'
import { apiClient, type ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { loggedIn } from '../support/web-client.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

const LIST = '/api/v1/unmanaged-projects'
const listed = async () => (await app.alice.get<UnmanagedProjectList>(LIST)).body.projects

async function addUser(email: string): Promise<{ id: string; client: ApiClient }> {
  const { id } = (await app.alice.post<UserCreated>('/api/v1/users', { email })).body
  const { key } = await app.backend.apiKeys.create({ ownerId: id, name: 'k', scopes: SCOPES, expiresAt: null })
  return { id, client: apiClient(app.url, key) }
}

test('a deletion lists in advance what it deletes, and a project without a manager can be taken over', async () => {
  const eve = await addUser('eve@example.org')
  await eve.client.ready('diary.txt', 'Dear diary.', { project: 'Diary' })
  const trashed = await eve.client.ready('letter.txt', 'A letter that was never sent.', { project: 'Diary' })
  await eve.client.call('DELETE', `/api/v1/documents/${trashed}`)
  for (const name of ['First', 'Second']) {
    await eve.client.ready('shared.txt', 'Owls hunt at night.', { project: name })
    await eve.client.call('PUT', `/api/v1/projects/${name}/members/bob@example.org`, { json: { role: 'reader' } })
  }
  const deletion = await app.alice.get<UserDeletion>(`/api/v1/users/${eve.id}/deletion`)
  expect(deletion.body).toMatchObject({
    email: 'eve@example.org',
    projects: [{ name: 'Diary', document_count: 1, trashed_count: 1 }],
    document_count: 1,
    trashed_count: 1,
  })
  expect(await listed()).toEqual([])
  expect((await app.alice.call('DELETE', `/api/v1/users/${eve.id}`)).body).toMatchObject({ documents_deleted: 1 })

  const projects = await listed()
  expect(projects.map((project) => [project.name, Object.keys(project)])).toEqual([
    ['First', ['id', 'name']],
    ['Second', ['id', 'name']],
  ])
  const [first, second] = [projects[0]!, projects[1]!]
  expect(await app.alice.get(`/api/v1/projects/${first.id}`)).toMatchObject({ status: 404 })
  expect(await app.bob.get(LIST)).toMatchObject({ status: 403, body: { code: errorCode('owner_only') } })

  const dave = await addUser('dave@example.org')
  const hand = (id: string, user?: string) =>
    app.alice.call('POST', `${LIST}/${id}/take-over`, user === undefined ? {} : { json: { user } })
  expect(await hand(first.id, dave.id)).toMatchObject({ status: 404, body: { code: errorCode('member_not_found') } })
  expect(await hand(first.id, 'nobody@example.org')).toMatchObject({ status: 404, body: { code: errorCode('user_not_found') } })
  expect(await hand(first.id, 'bob@example.org')).toMatchObject({ status: 200, body: { manager: { email: 'bob@example.org' } } })
  expect(await hand(first.id)).toMatchObject({ status: 404, body: { code: errorCode('project_not_found') } })
  expect((await app.bob.get<Project>('/api/v1/projects/First')).body).toMatchObject({ role: 'manager', owner: { name: 'Bob' } })
  expect((await hand(second.id)).status).toBe(200)
  expect((await app.alice.get<Project>('/api/v1/projects/Second')).body).toMatchObject({ role: 'manager', document_count: 1 })
  expect((await app.bob.get<MemberList>('/api/v1/projects/Second/members')).body.members.map(({ role }) => role)).toEqual([
    'reader',
    'manager',
  ])
  expect(await listed()).toEqual([])
})

test('the owner chooses a manager on the pages, and sees only the names before', async () => {
  const owner = await loggedIn(app, 'alice@example.org')
  const ivo = await addUser('ivo@example.org')
  for (const name of ['Third <b>', 'Fourth']) {
    await ivo.client.ready('s.txt', 'A hidden walrus.', { project: name })
    await ivo.client.call('PUT', `/api/v1/projects/${encodeURIComponent(name)}/members/bob@example.org`, {
      json: { role: 'reader' },
    })
  }
  expect((await owner.get('/projects')).text).not.toContain('Projects without a manager')
  await app.alice.call('DELETE', `/api/v1/users/${ivo.id}`)
  const list = await owner.get('/projects')
  expect(list.text).toMatch(/Projects without a manager[^]*Fourth[^]*Third <b>/)
  expect(list.text).not.toContain('walrus')
  const bob = await loggedIn(app, 'bob@example.org')
  expect((await bob.get('/projects')).text).not.toContain('without a manager')

  const [fourth, third] = list.links.filter((link) => link.endsWith('/take-over'))
  expect((await bob.get(fourth!)).status).toBe(404)
  const form = await owner.get(fourth!)
  for (const [user, message] of [
    ['nobody@example.org', 'No user has the ID or email'],
    ['alice@example', 'No user has the ID or email'],
    [(await addUser('uta@example.org')).id, 'is not a member of the project'],
  ] as const)
    expect(await owner.submit(form, fourth!, { user })).toMatchObject({ status: 422, text: expect.stringContaining(message) })
  const handed = await owner.submit(form, fourth!, { user: 'bob@example.org' })
  expect((await owner.follow(handed)).text).toContain('The project has a manager now.')
  expect((await owner.get(fourth!)).status).toBe(404)
  expect((await owner.get(fourth!.replace('/take-over', ''))).status).toBe(404)

  const taken = await owner.follow(await owner.submit(await owner.get(third!), third!, { user: '' }))
  expect(taken.text).toContain('You manage the project now.')
  const { events } = (await app.alice.get<{ events: unknown[] }>('/api/v1/audit?action=project.take_over&limit=2')).body
  expect(events).toMatchObject([{ user: { email: 'alice@example.org' } }, { user: { email: 'bob@example.org' } }])
})
