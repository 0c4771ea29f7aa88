import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiKeyCreated, ApiKeyList, Health, Me } from '../../src/contract/account.ts'
import type { ConnectionList } from '../../src/contract/clients.ts'
import type { DocumentList } from '../../src/contract/documents.ts'
import type { Project, ProjectList } from '../../src/contract/projects.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { SCOPES, type ProjectLimit, type User } from '../../src/core/model.ts'
import { actorOf, createAccess } from '../../src/services/access.ts'
import { createConnections } from '../../src/services/applications.ts'
import { apiClient, type ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { openEventStream } from '../support/event-stream.ts'
import { oauthFlow } from '../support/oauth-flow.ts'

let app: TestApp
let owner: User
/** Alice's projects. `inside` is the only one that the limited credentials may use. */
let inside: Project
let outside: Project
let limited: ApiClient

/** A client with a key of Alice's that is limited to projects. */
async function withLimit(projectIds: ProjectLimit, scopes = SCOPES): Promise<ApiClient> {
  return apiClient(
    app.url,
    (await app.backend.apiKeys.create({ ownerId: owner.id, name: 'k', scopes, projectIds, expiresAt: null })).key,
  )
}
const refusal = (status: number, code: ErrorCode) => ({ status, body: { code } })
const projectNamed = async (name: string) => (await app.alice.get<Project>(`/api/v1/projects/${name}`)).body

beforeAll(async () => {
  app = await startTestApp()
  owner = (await app.backend.records.users.owner())!
  await app.alice.ready('inside.txt', 'Otters swim in the river.', { project: 'Inside' })
  await app.alice.ready('outside.txt', 'Otters also sleep in the xylophone.', { project: 'Outside' })
  inside = await projectNamed('Inside')
  outside = await projectNamed('Outside')
  limited = await withLimit([inside.id])
})
afterAll(() => app?.close())

describe('a limited credential', () => {
  test('sees, counts and changes nothing outside its projects', async () => {
    const [document] = (await app.alice.get<DocumentList>(`/api/v1/documents?project=${outside.id}`)).body.documents
    expect((await limited.get<ProjectList>('/api/v1/projects')).body.projects.map(({ id }) => id)).toEqual([inside.id])
    expect((await limited.get<DocumentList>('/api/v1/documents')).body.documents.map(({ name }) => name)).toEqual(['inside.txt'])
    for (const query of ['otters', 'xilophone', 'name:outside otters']) {
      const { body } = await limited.post<SearchAnswer>('/api/v1/search', { query, facets: ['project'] })
      expect(body.results.map((result) => result.document.name)).toEqual(query === 'otters' ? ['inside.txt'] : [])
      expect(body).toMatchObject({ corrected_query: null, pending_documents: 0 })
    }
    for (const named of [outside.id, 'Outside']) {
      const none = refusal(404, errorCode('project_not_found'))
      expect(await limited.post('/api/v1/search', { query: 'otters', project: named })).toMatchObject(none)
      expect(await limited.get(`/api/v1/projects/${named}/members`)).toMatchObject(none)
      expect(await limited.call('DELETE', `/api/v1/projects/${named}`)).toMatchObject(none)
      expect(await limited.get(`/api/v1/documents?project=${named}`)).toMatchObject(none)
    }
    for (const part of ['', '/content', '/text', '/pages/1.png'])
      expect(await limited.get(`/api/v1/documents/${document!.id}${part}`)).toMatchObject(
        refusal(404, errorCode('document_not_found')),
      )
    expect((await limited.get<Me>('/api/v1/me')).body).toMatchObject({
      projects: [{ id: inside.id, name: 'Inside' }],
      usage: { documents: 1, bytes: inside.size_bytes, passages: inside.chunk_count },
    })
    expect((await app.alice.get<Me>('/api/v1/me')).body).toMatchObject({ projects: null, usage: { documents: 2 } })
    expect((await limited.get<Health>('/api/v1/health')).body.checks?.disk).not.toHaveProperty('free_bytes', 1e12)
  })

  test('gets events only about documents in its projects', async () => {
    const stream = await openEventStream(await limited.open('/api/v1/events'))
    const hidden = await app.alice.ready('hidden.txt', 'A hidden otter.', { project: 'Outside' })
    const shown = await app.alice.ready('shown.txt', 'A shown otter.', { project: 'Inside' })
    await stream.until((event) => event.document_id === shown && event.type === 'document.ready')
    expect(stream.events.some((event) => event.document_id === hidden)).toBe(false)
    await stream.close()
    for (const id of [hidden, shown]) await app.alice.call('DELETE', `/api/v1/documents/${id}`)
  })

  test.each(['Outside', 'New', 'default'])('creates no project, not even by an upload: %s', async (project) => {
    const refused = refusal(403, errorCode('limited_to_projects'))
    expect(await limited.post('/api/v1/projects', { name: project })).toMatchObject(refused)
    expect(await limited.upload([{ name: 'a.txt', content: 'x' }], { project })).toMatchObject(refused)
    const files = [{ path: 'a.txt', sha256: 'f'.repeat(64), size_bytes: 1 }]
    expect(await limited.post('/api/v1/upload/plan', { project, files })).toMatchObject(refused)
    expect((await app.alice.get<ProjectList>('/api/v1/projects')).body.projects).toHaveLength(2)
  })

  test('renames a project without learning whether another project has the name', async () => {
    expect((await limited.call('PATCH', `/api/v1/projects/${inside.id}`, { json: { name: 'Outside' } })).status).toBe(200)
    expect((await limited.get<Me>('/api/v1/me')).body.projects).toEqual([{ id: inside.id, name: 'Outside' }])
    expect((await limited.get<Project>('/api/v1/projects/Outside')).body.id).toBe(inside.id)
    expect(await app.alice.get('/api/v1/projects/Outside')).toMatchObject(refusal(409, errorCode('ambiguous_name')))
    const back = { json: { name: 'Inside' } }
    expect((await app.alice.call('PATCH', `/api/v1/projects/${inside.id}`, back)).status).toBe(200)
    const taken = { json: { name: 'Outside' } }
    expect(await app.alice.call('PATCH', `/api/v1/projects/${inside.id}`, taken)).toMatchObject(
      refusal(409, errorCode('project_exists')),
    )
  })

  test('manages neither the instance nor the password and the email of its user', async () => {
    const refused = refusal(403, errorCode('limited_to_projects'))
    const { id } = (await app.backend.records.users.findByEmail('bob@example.org'))!
    expect(await limited.get('/api/v1/users')).toMatchObject(refused)
    expect(await limited.call('POST', `/api/v1/users/${id}/reset`)).toMatchObject(refused)
    expect(await limited.call('POST', `/api/v1/users/${owner.id}/reset`)).toMatchObject(refused)
    expect(await limited.call('DELETE', '/api/v1/models/builtin')).toMatchObject(refused)
    const path = `/api/v1/projects/${inside.id}/members/new@example.org`
    expect(await limited.call('PUT', path, { json: { role: 'reader' } })).toMatchObject(refused)
    expect(await app.backend.records.users.findByEmail('new@example.org')).toBeNull()
  })

  test('learns nothing about other projects from a quota', async () => {
    await app.backend.records.users.update(owner.id, { quotas: { documents: 2 } })
    const upload = (client: ApiClient) => client.upload([{ name: 'more.txt', content: 'More.' }], { project: inside.id })
    expect((await upload(app.alice)).body.rejected[0]?.message).toContain('you have 2')
    expect((await upload(limited)).body.rejected[0]).toMatchObject({ code: 'quota_exceeded' })
    expect((await upload(limited)).body.rejected[0]?.message).not.toMatch(/\d/)
    await app.backend.records.users.update(owner.id, { quotas: { documents: null } })
  })
})

describe('a key', () => {
  test('is limited by names or IDs, and shows those of its projects that still exist', async () => {
    const gone = (await app.alice.post<Project>('/api/v1/projects', { name: 'Gone' })).body
    const { status, body } = await app.alice.post<ApiKeyCreated>('/api/v1/keys', {
      name: 'some',
      projects: ['Inside', gone.id, inside.id],
    })
    expect([status, body.projects]).toEqual([
      201,
      [
        { id: gone.id, name: 'Gone' },
        { id: inside.id, name: 'Inside' },
      ],
    ])
    const ofKey = async (client: ApiClient) =>
      (await client.get<ApiKeyList>('/api/v1/keys?limit=100')).body.keys.find(({ id }) => id === body.id)?.projects
    expect(await ofKey(limited)).toEqual([{ id: inside.id, name: 'Inside' }])
    const client = apiClient(app.url, body.key)
    expect((await client.call('DELETE', `/api/v1/projects/${gone.id}`)).status).toBe(200)
    expect(await ofKey(app.alice)).toEqual([{ id: inside.id, name: 'Inside' }])
    expect((await client.call('DELETE', `/api/v1/keys/${body.id}`)).status).toBe(403)
    const last = await withLimit([gone.id])
    expect((await last.get<Me>('/api/v1/me')).body.projects, 'nothing, and not everything').toEqual([])
    expect((await last.get<ProjectList>('/api/v1/projects')).body.projects).toEqual([])
  })

  test('never reaches more projects than the credential that creates it', async () => {
    const create = (client: ApiClient, projects?: string[]) =>
      client.post<ApiKeyCreated>('/api/v1/keys', { name: 'n', scopes: ['read:documents'], ...(projects && { projects }) })
    expect((await create(limited)).body.projects).toEqual([{ id: inside.id, name: 'Inside' }])
    expect((await create(limited, ['Inside'])).body.projects).toEqual([{ id: inside.id, name: 'Inside' }])
    for (const projects of [['Outside'], [outside.id], ['Inside', outside.id], ['nowhere']])
      expect(await create(limited, projects)).toMatchObject(refusal(404, errorCode('project_not_found')))
    expect((await create(app.alice)).body.projects).toBeNull()
    expect((await create(app.alice, [])).status, 'an empty list is likely a mistake').toBe(400)
  })
})

test('a consent limits all tokens of the application to projects', async () => {
  const flow = await oauthFlow(app)
  const { records, oauth } = app.backend
  const connections = createConnections({ oauth, access: createAccess(records) })
  const outcome = await oauth.authorize.begin(
    { response_type: 'code', client_id: flow.application.id, redirect_uri: flow.application.redirectUris[0] },
    { userId: flow.user.id },
  )
  if (outcome.kind !== 'ask') throw new Error(outcome.kind)
  const user = actorOf(flow.user)
  await expect(connections.allow(user, outcome.request, ['nowhere'])).rejects.toMatchObject({
    code: errorCode('project_not_found'),
  })
  const project = (await records.projects.create({ ownerId: flow.user.id, name: 'Notes', description: '' })).id
  const { location } = await connections.allow(user, outcome.request, ['Notes'])
  const first = (await flow.exchange(new URL(location).searchParams.get('code')!)).body
  const second = (await flow.refresh(first.refresh_token)).body
  const me = await flow.api(second.access_token)
  expect(me.body).toMatchObject({ projects: [{ id: project, name: 'Notes' }] })
  const introspection = await flow.post('/api/oauth/introspect', { token: second.access_token })
  expect(introspection.body).toMatchObject({ active: true, projects: [project] })
  expect(await connections.list(user)).toMatchObject([{ projects: [{ id: project, name: 'Notes' }] }])
  // Another consent without a limit gives access to everything.
  await flow.tokens()
  expect(await connections.list(user)).toMatchObject([{ projects: null }])
  expect((await app.alice.get<ConnectionList>('/api/v1/connections')).status).toBe(200)
})

test('a limited credential must not set the password or the email of its user', async () => {
  const actor = actorOf(owner, SCOPES, new Set([inside.id]))
  const { createAccount } = await import('../../src/services/account.ts')
  const { records, accounts } = app.backend
  const account = createAccount({ records, accounts, access: createAccess(records), quotas: app.backend.quotas })
  const refused = { code: errorCode('limited_to_projects') }
  await expect(account.update(actor, { name: 'x', email: 'x@example.org' })).rejects.toMatchObject(refused)
  const change = { current: 'x', password: 'y', address: '::1' }
  await expect(account.changePassword(actor, change)).rejects.toMatchObject(refused)
})
