import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DocumentList } from '../../src/contract/documents.ts'
import type { MemberList, MemberSaved, Project, ProjectList } from '../../src/contract/projects.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import type { UserCreated } from '../../src/contract/users.ts'
import { SCOPES, type ProjectRole } from '../../src/core/model.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { apiClient, type ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { openEventStream } from '../support/event-stream.ts'

let app: TestApp
/** A third user, who is no member of anything at first. Alice is the owner of the instance, and Bob a member. */
let carol: ApiClient
let carolId: string

beforeAll(async () => {
  app = await startTestApp()
  const added = await app.alice.post<UserCreated>('/api/v1/users', {
    email: 'carol@example.org',
    password: 'four wooden boats drift',
  })
  carolId = added.body.id
  const { key } = await app.backend.apiKeys.create({ ownerId: carolId, name: 'k', scopes: SCOPES, expiresAt: null })
  carol = apiClient(app.url, key)
})
afterAll(() => app?.close())

let made = 0
/** A project of Bob's with a document about owls. */
async function newProject(): Promise<{ name: string; path: string; id: string; document: string }> {
  const name = `Shared ${++made}`
  const document = await app.bob.ready('owls.txt', `Owls hunt at night, number ${made}.`, { project: name })
  const { id } = (await app.bob.get<Project>(`/api/v1/projects/${encodeURIComponent(name)}`)).body
  return { name, id, document, path: `/api/v1/projects/${id}` }
}

const set = (client: ApiClient, path: string, user: string, role: ProjectRole) =>
  client.call<MemberSaved>('PUT', `${path}/members/${encodeURIComponent(user)}`, { json: { role } })
const remove = (client: ApiClient, path: string, user: string) =>
  client.call('DELETE', `${path}/members/${encodeURIComponent(user)}`)
const refusal = (status: number, code: ErrorCode) => ({ status, body: { code } })

describe('a member', () => {
  test('sees the project at once, and can do what the role allows', async () => {
    const { path, id, document, name } = await newProject()
    for (const client of [carol, app.alice]) {
      expect(await client.get(path)).toMatchObject(refusal(404, errorCode('project_not_found')))
      expect(await client.get(`/api/v1/documents/${document}`)).toMatchObject(refusal(404, errorCode('document_not_found')))
    }
    expect(await set(app.bob, path, 'carol@example.org', 'reader')).toMatchObject({
      status: 200,
      body: { user: { id: carolId, email: 'carol@example.org', name: 'carol' }, role: 'reader' },
    })
    expect((await carol.get<Project>(path)).body).toMatchObject({ id, role: 'reader', owner: { name: 'Bob' }, document_count: 1 })
    expect((await carol.get<ProjectList>('/api/v1/projects?role=reader')).body.projects.map((one) => one.id)).toContain(id)
    expect((await carol.get<ProjectList>('/api/v1/projects?role=manager')).body.projects.map((one) => one.id)).not.toContain(id)
    const { body } = await carol.post<SearchAnswer>('/api/v1/search', { query: 'owls', project: name })
    expect(body.results.map((result) => result.document.id)).toEqual([document])
    expect((await carol.get<DocumentList>('/api/v1/documents?name=owls')).body.documents.map((one) => one.id)).toContain(document)
    const low = { status: 403, body: { code: errorCode('insufficient_role'), role: 'writer' } }
    expect(await carol.upload([{ name: 'new.txt', content: 'x' }], { project: name })).toMatchObject(low)
    expect(await carol.call('DELETE', `/api/v1/documents/${document}`)).toMatchObject(low)
    expect(await carol.call('POST', `/api/v1/documents/${document}/reprocess`)).toMatchObject(low)
    expect(await carol.call('PATCH', `/api/v1/documents/${document}`, { json: { title: 'x' } })).toMatchObject(low)
    const manager = { status: 403, body: { code: errorCode('insufficient_role'), role: 'manager' } }
    expect(await carol.call('PATCH', path, { json: { name: 'Mine' } })).toMatchObject(manager)
    expect(await carol.call('DELETE', path)).toMatchObject(manager)
    expect(await set(carol, path, carolId, 'manager')).toMatchObject(manager)

    await set(app.bob, path, carolId, 'writer')
    const uploaded = await carol.upload([{ name: 'new.txt', content: 'The owl of Carol.' }], { project: name })
    expect([uploaded.status, uploaded.body.documents[0]?.project.id]).toEqual([202, id])
    expect((await carol.call('DELETE', `/api/v1/documents/${document}`)).status).toBe(204)
    expect(await carol.call('DELETE', path)).toMatchObject(manager)
    // Bob, the owner, pays for what Carol uploads.
    const usage = await app.backend.records.users.usage([carolId])
    expect(usage.get(carolId)?.documents).toBe(0)
  })

  test('who is removed loses access at once, even in open event streams', async () => {
    const { path, document, name } = await newProject()
    await set(app.bob, path, carolId, 'reader')
    const stream = await openEventStream(await carol.open('/api/v1/events'))
    const second = await app.bob.ready('second.txt', 'A second owl.', { project: name })
    await stream.until((event) => event.document_id === second && event.type === 'document.ready')
    expect((await remove(app.bob, path, carolId)).status).toBe(204)
    expect(await carol.get(`/api/v1/documents/${document}/content`)).toMatchObject(refusal(404, errorCode('document_not_found')))
    expect(
      (await carol.post<SearchAnswer>('/api/v1/search', { query: 'owl' })).body.results.map(({ document: { id } }) => id),
    ).not.toContain(second)
    const third = await app.bob.ready('third.txt', 'A third owl.', { project: name })
    const own = await carol.ready('own.txt', 'Something of Carol.')
    await stream.until((event) => event.document_id === own && event.type === 'document.ready')
    expect(stream.events.some((event) => event.document_id === third)).toBe(false)
    await stream.close()
    expect(await remove(app.bob, path, carolId)).toMatchObject(refusal(404, errorCode('member_not_found')))
  })

  test('may leave, and sees the other members', async () => {
    const { path } = await newProject()
    await set(app.bob, path, carolId, 'reader')
    expect((await carol.get<MemberList>(`${path}/members`)).body.members).toMatchObject([
      { user: { email: 'bob@example.org' }, role: 'manager' },
      { user: { email: 'carol@example.org' }, role: 'reader' },
    ])
    expect(await remove(carol, path, 'bob@example.org')).toMatchObject(refusal(403, errorCode('insufficient_role')))
    expect((await remove(carol, path, 'carol@example.org')).status).toBe(204)
    expect(await carol.get(`${path}/members`)).toMatchObject(refusal(404, errorCode('project_not_found')))
  })
})

describe('everyone', () => {
  test('stands for all users, and a higher role of a user wins', async () => {
    const { path } = await newProject()
    await set(app.bob, path, carolId, 'writer')
    expect((await set(app.bob, path, 'everyone', 'reader')).body).toEqual({ user: 'everyone', role: 'reader' })
    expect((await carol.get<Project>(path)).body.role).toBe('writer')
    expect((await app.alice.get<Project>(path)).body.role).toBe('reader')
    expect(await set(app.bob, path, 'everyone', 'manager')).toMatchObject(refusal(422, errorCode('everyone_cannot_manage')))
    expect((await remove(app.bob, path, 'everyone')).status).toBe(204)
    expect((await app.alice.get(path)).status).toBe(404)
  })
})

describe('the managers', () => {
  test('the last manager stays, and when the owner leaves, the manager who was added first becomes the owner', async () => {
    const { path, name } = await newProject()
    const last = refusal(409, errorCode('last_manager'))
    expect(await remove(app.bob, path, 'bob@example.org')).toMatchObject(last)
    expect(await set(app.bob, path, 'bob@example.org', 'writer')).toMatchObject(last)
    await carol.post('/api/v1/projects', { name })
    await set(app.bob, path, carolId, 'manager')
    expect((await set(app.bob, path, 'bob@example.org', 'reader')).status).toBe(200)
    // Carol has a project of that name already, of which the other members learn nothing.
    expect((await carol.get<Project>(path)).body).toMatchObject({ name, owner: { id: carolId }, role: 'manager' })
    expect((await app.backend.records.users.usage([carolId])).get(carolId)?.documents).toBeGreaterThan(0)
  })

  test('a private project gets no members, and a shared one does not become private', async () => {
    await app.bob.ready('own.txt', 'Mine.')
    const secret = refusal(422, errorCode('project_is_private'))
    expect(await set(app.bob, '/api/v1/projects/default', carolId, 'reader')).toMatchObject(secret)
    const fresh = await carol.post<Project>('/api/v1/projects', { name: 'Soon private' })
    const path = `/api/v1/projects/${fresh.body.id}`
    await set(carol, path, 'bob@example.org', 'reader')
    await carol.ready('own.txt', 'Hers.')
    expect(await carol.call('PATCH', path, { json: { name: 'default' } })).toMatchObject(secret)
  })

  test('the owner of the instance invites somebody by adding them, and nobody else does', async () => {
    const { path } = await newProject()
    expect(await set(app.bob, path, 'dora@example.org', 'reader')).toMatchObject(refusal(403, errorCode('owner_only')))
    expect(await set(app.bob, path, 'usr_none', 'reader')).toMatchObject(refusal(404, errorCode('user_not_found')))
    expect(await set(app.bob, path, 'not an@address', 'reader')).toMatchObject(refusal(400, errorCode('invalid_request')))
    await set(app.bob, path, 'alice@example.org', 'manager')
    const invited = await set(app.alice, path, 'dora@example.org', 'reader')
    expect(invited.body).toMatchObject({
      user: { email: 'dora@example.org' },
      role: 'reader',
      invitation_url: expect.stringContaining(app.url),
      invitation_expires_at: expect.any(String),
    })
    expect((await set(app.alice, path, 'dora@example.org', 'writer')).body).not.toHaveProperty('invitation_url')
  })
})

test('refuses a name that several visible projects have, and lists the candidates', async () => {
  const { path, id, name } = await newProject()
  const own = await carol.post<Project>('/api/v1/projects', { name })
  expect((await carol.get<Project>(`/api/v1/projects/${encodeURIComponent(name)}`)).body.id).toBe(own.body.id)
  await set(app.bob, path, carolId, 'writer')
  const ambiguous = {
    status: 409,
    body: {
      code: errorCode('ambiguous_name'),
      candidates: expect.arrayContaining([
        { id, owner: 'Bob' },
        { id: own.body.id, owner: 'carol' },
      ]),
    },
  }
  expect(await carol.get(`/api/v1/projects/${encodeURIComponent(name)}`)).toMatchObject(ambiguous)
  expect(await carol.post('/api/v1/search', { query: 'owls', project: name })).toMatchObject(ambiguous)
  expect(await carol.get(`/api/v1/documents?project=${encodeURIComponent(name)}`)).toMatchObject(ambiguous)
  expect(await carol.upload([{ name: 'a.txt', content: 'x' }], { project: name })).toMatchObject(ambiguous)
  expect((await carol.upload([{ name: 'a.txt', content: 'x' }], { project: id })).status).toBe(202)
  const facets = await carol.post<SearchAnswer>('/api/v1/search', { query: 'owls', project: id, facets: ['project'] })
  expect(facets.body.facets).toMatchObject({ project: [{ value: id }] })
})
