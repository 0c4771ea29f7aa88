import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiKeyCreated, ApiKeyList, Health, Me } from '../../src/contract/account.ts'
import type { ConnectionList, OAuthClient, OAuthClientCreated, OAuthClientList } from '../../src/contract/clients.ts'
import type { Document, DocumentList } from '../../src/contract/documents.ts'
import type { ModelList } from '../../src/contract/models.ts'
import type { Project, ProjectList } from '../../src/contract/projects.ts'
import type { Status } from '../../src/contract/status.ts'
import type { SearchAnswer, SavedSearch, SavedSearchList } from '../../src/contract/search.ts'
import type { UploadPlan } from '../../src/contract/upload-plan.ts'
import type { Synonym, SynonymList, SynonymsSaved } from '../../src/contract/synonyms.ts'
import type { Webhook, WebhookDelivery } from '../../src/contract/webhooks.ts'
import { routes } from '../support/api-table.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow, REDIRECT_URI } from '../support/oauth-flow.ts'
import { errorCode } from '../support/codes.ts'
import type { ErrorCode } from '../../src/core/errors.ts'

let app: TestApp
let document: Document
let key: ApiKeyCreated
let application: OAuthClientCreated
let synonym: Synonym
let webhook: Webhook
let delivery: WebhookDelivery
let savedSearch: SavedSearch

/** Alice has a document, a project with synonyms, a key and an application. Bob must not see or change any of them. */
beforeAll(async () => {
  app = await startTestApp()
  const id = await app.alice.ready('secret.txt', 'The xylophone is hidden under the stairs.', {
    project: 'Private',
    tags: 'hidden',
  })
  document = (await app.alice.get<Document>(`/api/v1/documents/${id}`)).body
  key = (await app.alice.post<ApiKeyCreated>('/api/v1/keys', { name: "Alice's laptop" })).body
  application = (
    await app.alice.post<OAuthClientCreated>('/api/v1/clients', { name: 'Of Alice', redirect_uris: ['https://a.example.org/cb'] })
  ).body
  const search = { name: "Alice's search", search: { q: 'xylophone' } }
  savedSearch = (await app.alice.post<SavedSearch>('/api/v1/saved-searches', search)).body
  const synonyms = { synonyms: [{ words: ['xylophone', 'gardens'] }] }
  synonym = (await app.alice.post<SynonymsSaved>('/api/v1/projects/Private/synonyms', synonyms)).body.synonyms[0]!
  const at = 'https://xylophone.invalid/secret'
  webhook = (await app.alice.post<Webhook>('/api/v1/projects/Private/webhooks', { url: at, events: ['document.failed'] })).body
  delivery = (await app.alice.post<WebhookDelivery>(`/api/v1/projects/Private/webhooks/${webhook.id}/test`, {})).body
  await app.bob.ready('of-bob.txt', 'Bob writes about gardens.')
})
afterAll(async () => {
  // None of the cases changed Alice's data.
  if (app === undefined) return
  expect((await app.alice.get<Document>(`/api/v1/documents/${document.id}`)).body).toEqual(document)
  expect((await app.alice.get<Project>('/api/v1/projects/Private')).body).toMatchObject({
    id: document.project.id,
    name: 'Private',
    document_count: 1,
  })
  expect((await app.alice.get<SavedSearchList>('/api/v1/saved-searches')).body.saved_searches).toEqual([savedSearch])
  expect((await app.alice.get<SynonymList>('/api/v1/projects/Private/synonyms')).body.synonyms).toMatchObject([
    { id: synonym.id, words: ['xylophone', 'gardens'] },
  ])
  expect((await app.alice.get<Webhook>(`/api/v1/projects/Private/webhooks/${webhook.id}`)).body).toMatchObject({
    url: webhook.url,
    updated_at: webhook.updated_at,
  })
  expect((await app.alice.get<ApiKeyList>('/api/v1/keys?limit=100')).body.keys.map(({ id }) => id)).toContain(key.id)
  const { client_secret: _, ...unchanged } = application
  expect((await app.alice.get<OAuthClient>(`/api/v1/clients/${application.client_id}`)).body).toEqual(unchanged)
  await app.close()
})

const path = () => `/api/v1/documents/${document.id}`
const project = () => `/api/v1/projects/${document.project.id}`
const clientPath = () => `/api/v1/clients/${application.client_id}`
const notFound = (code: ErrorCode) => ({ status: 404, body: { code } })

/** Checks that Bob, who is a member, gets the error `owner_only`. */
async function expectOwnerOnly(method: string, at: string, json?: object): Promise<void> {
  expect(await app.bob.call(method, at, json === undefined ? {} : { json })).toMatchObject({
    status: 403,
    body: { code: errorCode('owner_only') },
  })
}

/** Checks that Alice's project does not exist for Bob. */
async function expectNoProject(method: string, path: string, json?: object): Promise<void> {
  expect(await app.bob.call(method, project() + path, json === undefined ? {} : { json })).toMatchObject(
    notFound(errorCode('project_not_found')),
  )
}

async function expectNoSavedSearch(method: string, json?: object): Promise<void> {
  expect(
    await app.bob.call(method, `/api/v1/saved-searches/${savedSearch.id}`, json === undefined ? {} : { json }),
  ).toMatchObject(notFound(errorCode('saved_search_not_found')))
}

/** For each operation: what Bob sends, and the answer he must get. */
const CASES: Record<string, () => Promise<void>> = {
  async search() {
    for (const mode of ['hybrid', 'vector', 'keyword']) {
      const { body } = await app.bob.post<SearchAnswer>('/api/v1/search', {
        query: 'xylophone under the stairs',
        mode,
        limit: 100,
      })
      expect(body.results.filter((result) => result.document.name !== 'of-bob.txt')).toEqual([])
      const narrowed = await app.bob.post<SearchAnswer>('/api/v1/search', {
        query: 'xylophone',
        mode,
        filter: { document_ids: [document.id], tags: ['hidden'] },
      })
      expect(narrowed.body.results).toEqual([])
    }
    // Corrections, phrases and name filters must not reveal Alice's words or the names of her documents.
    for (const query of ['xylophonne stiars', 'hidenn gardns', '"hidden under the stairs" gardens', 'gardens name:secret']) {
      const { body } = await app.bob.post<SearchAnswer>('/api/v1/search', { query })
      expect(body.corrected_query).toBe(query === 'hidenn gardns' ? 'hidenn gardens' : null)
      expect(body.results.filter((result) => result.document.name !== 'of-bob.txt')).toEqual([])
      if (query.includes('name:')) expect(body.results).toEqual([])
    }
    const without = await app.bob.post<SearchAnswer>('/api/v1/search', { query: 'gardens -xylophone -name:of-bob' })
    expect(without.body.results).toEqual([])
    for (const one of [document.project.id, 'Private'])
      expect(await app.bob.post('/api/v1/search', { query: 'xylophone', project: one })).toMatchObject(
        notFound(errorCode('project_not_found')),
      )
  },
  async upload() {
    expect(await app.bob.upload([{ name: 'secret.txt', content: 'mine now' }], { project: document.project.id })).toMatchObject(
      notFound(errorCode('project_not_found')),
    )
    // The same bytes in a project of his own become a new document.
    const { body } = await app.bob.upload([{ name: 'copy.txt', content: 'The xylophone is hidden under the stairs.' }], {
      project: 'Hers',
    })
    expect(body.documents[0]?.outcome).toBe('created')
    expect(body.documents[0]?.id).not.toBe(document.id)
    expect((await app.bob.call('DELETE', `/api/v1/documents/${body.documents[0]?.id}`)).status).toBe(204)
  },
  async planUpload() {
    const { name, sha256, size_bytes } = document
    const files = [{ path: name, sha256, size_bytes }]
    const { body } = await app.bob.post<UploadPlan>('/api/v1/upload/plan', { project: 'Private', files })
    expect(body.files).toEqual([{ path: name, state: 'new', is_needed: true, error: null, document: null }])
    const refused = await app.bob.post('/api/v1/upload/plan', { project: document.project.id, files })
    expect(refused).toMatchObject(notFound(errorCode('project_not_found')))
  },
  async listDocuments() {
    const names = async (query: string) =>
      (await app.bob.get<DocumentList>(`/api/v1/documents${query}`)).body.documents.map(({ name }) => name)
    expect(await names('?limit=100')).not.toContain('secret.txt')
    expect(await names('?name=secret')).toEqual([])
    expect(await names(`?sha256=${document.sha256}`)).toEqual([])
    expect(await app.bob.get(`/api/v1/documents?project=${document.project.id}`)).toMatchObject(
      notFound(errorCode('project_not_found')),
    )
  },
  async getDocument() {
    expect(await app.bob.get(path())).toMatchObject(notFound(errorCode('document_not_found')))
  },
  async updateDocument() {
    const change = { name: 'stolen.txt', project: 'default' }
    expect(await app.bob.call('PATCH', path(), { json: change })).toMatchObject(notFound(errorCode('document_not_found')))
    const own = (await app.bob.get<DocumentList>('/api/v1/documents?name=of-bob')).body.documents[0]!
    expect(await app.bob.call('PATCH', `/api/v1/documents/${own.id}`, { json: { project: document.project.id } })).toMatchObject(
      notFound(errorCode('project_not_found')),
    )
  },
  async deleteDocument() {
    expect(await app.bob.call('DELETE', path())).toMatchObject(notFound(errorCode('document_not_found')))
  },
  async getDocumentContent() {
    const etag = `"${document.sha256}"`
    expect(await app.bob.get(`${path()}/content`, { 'If-None-Match': etag })).toMatchObject(
      notFound(errorCode('document_not_found')),
    )
  },
  async getDocumentText() {
    expect(await app.bob.get(`${path()}/text`)).toMatchObject(notFound(errorCode('document_not_found')))
  },
  async getDocumentPageImage() {
    expect(await app.bob.get(`${path()}/pages/1.png`)).toMatchObject(notFound(errorCode('document_not_found')))
  },
  async reprocessDocument() {
    expect(await app.bob.call('POST', `${path()}/reprocess`)).toMatchObject(notFound(errorCode('document_not_found')))
  },
  async restoreDocument() {
    expect(await app.bob.call('POST', `${path()}/restore`)).toMatchObject(notFound(errorCode('document_not_found')))
  },
  async changeDocuments() {
    for (const action of ['delete', 'restore', 'reprocess']) {
      const { body } = await app.bob.post('/api/v1/documents/batch', { action, ids: [document.id] })
      expect(body).toEqual({ results: [{ id: document.id, status: 404, code: errorCode('document_not_found') }] })
    }
  },
  async listProjects() {
    const { body } = await app.bob.get<ProjectList>('/api/v1/projects?limit=100')
    expect(body.projects.map(({ id }) => id)).not.toContain(document.project.id)
  },
  async createProject() {
    const { status, body } = await app.bob.post<Project>('/api/v1/projects', { name: 'Private' })
    expect([status, body.document_count]).toEqual([201, 0])
    expect(body.id).not.toBe(document.project.id)
    expect((await app.bob.call('DELETE', `/api/v1/projects/${body.id}`)).status).toBe(200)
  },
  async getProject() {
    for (const one of [project(), '/api/v1/projects/Private'])
      expect(await app.bob.get(one)).toMatchObject(notFound(errorCode('project_not_found')))
  },
  async updateProject() {
    expect(await app.bob.call('PATCH', project(), { json: { name: 'Taken over' } })).toMatchObject(
      notFound(errorCode('project_not_found')),
    )
  },
  async deleteProject() {
    expect(await app.bob.call('DELETE', project())).toMatchObject(notFound(errorCode('project_not_found')))
  },
  async listSavedSearches() {
    expect((await app.bob.get<SavedSearchList>('/api/v1/saved-searches')).body).toEqual({ saved_searches: [] })
  },
  async saveSearch() {
    // The same search as Alice's is another one, and Bob learns nothing about hers.
    const { status, body } = await app.bob.post<SavedSearch>('/api/v1/saved-searches', { search: savedSearch.search })
    expect([status, body.name]).toEqual([201, 'xylophone'])
    await app.bob.call('DELETE', `/api/v1/saved-searches/${body.id}`)
  },
  getSavedSearch: () => expectNoSavedSearch('GET'),
  renameSavedSearch: () => expectNoSavedSearch('PATCH', { name: 'Taken' }),
  deleteSavedSearch: () => expectNoSavedSearch('DELETE'),
  listSynonyms: () => expectNoProject('GET', '/synonyms'),
  addSynonyms: () => expectNoProject('POST', '/synonyms', { synonyms: [{ words: ['xylophone', 'of bob'] }] }),
  replaceSynonyms: () => expectNoProject('PUT', '/synonyms', { synonyms: [] }),
  deleteSynonym: () => expectNoProject('DELETE', `/synonyms/${synonym.id}`),
  listWebhooks: () => expectNoProject('GET', '/webhooks'),
  createWebhook: () => expectNoProject('POST', '/webhooks', { url: 'https://example.com/bob' }),
  getWebhook: () => expectNoProject('GET', `/webhooks/${webhook.id}`),
  updateWebhook: () => expectNoProject('PATCH', `/webhooks/${webhook.id}`, { url: 'https://example.com/bob' }),
  deleteWebhook: () => expectNoProject('DELETE', `/webhooks/${webhook.id}`),
  rotateWebhook: () => expectNoProject('POST', `/webhooks/${webhook.id}/rotate`),
  testWebhook: () => expectNoProject('POST', `/webhooks/${webhook.id}/test`),
  listWebhookDeliveries: () => expectNoProject('GET', `/webhooks/${webhook.id}/deliveries`),
  getWebhookDelivery: () => expectNoProject('GET', `/webhooks/${webhook.id}/deliveries/${delivery.id}`),
  redeliverWebhook: () => expectNoProject('POST', `/webhooks/${webhook.id}/deliveries/${delivery.id}/redeliver`),
  async listMembers() {
    expect(await app.bob.get(`${project()}/members`)).toMatchObject(notFound(errorCode('project_not_found')))
  },
  async setMember() {
    for (const who of ['bob@example.org', 'everyone', 'nobody@example.org'])
      expect(await app.bob.call('PUT', `${project()}/members/${who}`, { json: { role: 'reader' } })).toMatchObject(
        notFound(errorCode('project_not_found')),
      )
  },
  async removeMember() {
    expect(await app.bob.call('DELETE', `${project()}/members/alice@example.org`)).toMatchObject(
      notFound(errorCode('project_not_found')),
    )
  },
  async listenToEvents() {
    const response = await app.bob.open('/api/v1/events?last_event_id=0')
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      // Events come in order, so Alice's earlier events would have come before Bob's.
      if (text.includes('document.ready')) break
    }
    expect(text).toContain('of-bob.txt')
    expect(text).not.toContain(document.id)
    expect(text).not.toContain('secret.txt')
  },
  async listAuditEvents() {
    const { status, body } = await app.bob.get('/api/v1/audit?limit=100')
    expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringMatching(/secret.txt|alice@|xylophone/)])
    expect(JSON.stringify(body)).not.toContain(document.project.id)
    // The same as for an ID that nothing has: a project may have been deleted.
    const ofProject = await app.bob.get(`/api/v1/audit?project=${document.project.id}`)
    expect([ofProject.status, ofProject.body]).toEqual([200, { events: [], next_cursor: null }])
  },
  async listKeys() {
    const { body } = await app.bob.get<ApiKeyList>('/api/v1/keys?limit=100')
    expect(body.keys.map(({ id }) => id)).not.toContain(key.id)
  },
  async createKey() {
    const { body } = await app.bob.post<ApiKeyCreated>('/api/v1/keys', { name: 'another' })
    const listed = (await app.alice.get<ApiKeyList>('/api/v1/keys?limit=100')).body.keys
    expect(listed.map(({ id }) => id)).not.toContain(body.id)
  },
  async deleteKey() {
    expect(await app.bob.call('DELETE', `/api/v1/keys/${key.id}`)).toMatchObject(notFound(errorCode('key_not_found')))
  },
  async listClients() {
    expect((await app.bob.get<OAuthClientList>('/api/v1/clients')).body.clients).toEqual([])
  },
  async createClient() {
    const { status, body } = await app.bob.post<OAuthClientCreated>('/api/v1/clients', {
      name: 'Of Alice',
      redirect_uris: application.redirect_uris,
    })
    expect([status, body.client_id === application.client_id]).toEqual([201, false])
    expect((await app.alice.get(`/api/v1/clients/${body.client_id}`)).status).toBe(404)
    expect((await app.bob.call('DELETE', `/api/v1/clients/${body.client_id}`)).status).toBe(204)
  },
  async getClient() {
    expect(await app.bob.get(clientPath())).toMatchObject(notFound(errorCode('client_not_found')))
  },
  async updateClient() {
    const json = { redirect_uris: ['https://bob.example.org/cb'] }
    expect(await app.bob.call('PATCH', clientPath(), { json })).toMatchObject(notFound(errorCode('client_not_found')))
  },
  async rotateClient() {
    expect(await app.bob.call('POST', `${clientPath()}/rotate`)).toMatchObject(notFound(errorCode('client_not_found')))
  },
  async deleteClient() {
    expect(await app.bob.call('DELETE', clientPath())).toMatchObject(notFound(errorCode('client_not_found')))
  },
  async listConnections() {
    expect((await app.bob.get<ConnectionList>('/api/v1/connections')).body.connections).toEqual([])
  },
  async deleteConnection() {
    expect(await app.bob.call('DELETE', `/api/v1/connections/${application.client_id}`)).toMatchObject(
      notFound(errorCode('connection_not_found')),
    )
  },
  listUsers: () => expectOwnerOnly('GET', '/api/v1/users'),
  createUser: () => expectOwnerOnly('POST', '/api/v1/users', { email: 'carol@example.org' }),
  getUser: () => expectOwnerOnly('GET', '/api/v1/users/alice@example.org'),
  updateUser: () => expectOwnerOnly('PATCH', '/api/v1/users/alice@example.org', { name: 'Taken over' }),
  previewUserDeletion: () => expectOwnerOnly('GET', '/api/v1/users/alice@example.org/deletion'),
  listUnmanagedProjects: () => expectOwnerOnly('GET', '/api/v1/unmanaged-projects'),
  takeOverProject: () => expectOwnerOnly('POST', `/api/v1/unmanaged-projects/${document.project.id}/take-over`),
  resetUser: () => expectOwnerOnly('POST', '/api/v1/users/alice@example.org/reset'),
  deleteUser: () => expectOwnerOnly('DELETE', '/api/v1/users/alice@example.org'),
  examineInstance: () => expectOwnerOnly('POST', '/api/v1/doctor', {}),
  async listModels() {
    const { body } = await app.bob.get<ModelList>('/api/v1/models')
    expect(JSON.stringify(body)).not.toMatch(/Alice|secret\.txt/)
  },
  pullModel: () => expectOwnerOnly('POST', '/api/v1/models/pull', { model: 'embeddinggemma' }),
  useModel: () => expectOwnerOnly('POST', '/api/v1/models/use', { model: 'embeddinggemma' }),
  testModel: () => expectOwnerOnly('POST', '/api/v1/models/test', { model: 'embeddinggemma' }),
  createBackup: () => expectOwnerOnly('POST', '/api/v1/backup'),
  removeModelIndex: () => expectOwnerOnly('DELETE', '/api/v1/models/builtin'),
  // Alice and Bob each use their own application here. One application must not use or see what another one was given.
  async issueToken() {
    const [hers, his] = [await oauthFlow(app), await oauthFlow(app, { userName: 'Bob' })]
    const refused = await his.token({ grant_type: 'authorization_code', code: await hers.code(), redirect_uri: REDIRECT_URI })
    expect([refused.status, refused.body.error]).toEqual([400, errorCode('invalid_grant')])
    const { access_token } = (await his.tokens()) as { access_token: string }
    const asBob = { Authorization: `Bearer ${access_token}` }
    expect(await app.stranger.get(path(), asBob)).toMatchObject(notFound(errorCode('document_not_found')))
  },
  async revokeToken() {
    const [hers, his] = [await oauthFlow(app), await oauthFlow(app, { userName: 'Bob' })]
    const { access_token, refresh_token } = await hers.tokens()
    for (const token of [access_token, refresh_token])
      expect((await his.post('/api/oauth/revoke', { token })).body).toMatchObject({ error: errorCode('invalid_grant') })
    expect((await hers.api(access_token)).status).toBe(200)
  },
  async introspectToken() {
    const [hers, his] = [await oauthFlow(app), await oauthFlow(app, { userName: 'Bob' })]
    const { access_token, refresh_token } = await hers.tokens()
    for (const token of [access_token, refresh_token])
      expect((await his.post('/api/oauth/introspect', { token })).body).toEqual({ active: false })
  },
  async startDevice() {
    const [hers, his] = [await oauthFlow(app), await oauthFlow(app, { userName: 'Bob' })]
    const { body } = await hers.post('/api/oauth/device', {})
    await app.backend.oauth.device.decide(String(body['user_code']), hers.user, true)
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: String(body['device_code']) }
    expect((await his.token(grant)).body).toMatchObject({ error: errorCode('invalid_grant') })
    expect((await hers.token(grant)).status).toBe(200)
  },
  async registerApplication() {
    const { body } = await app.bob.post('/api/oauth/register', { redirect_uris: ['https://bob.example.com/cb'] })
    expect(JSON.stringify(body)).not.toMatch(/Alice|secret\.txt/)
    const listed = await Promise.all([app.alice, app.bob].map((user) => user.get('/api/v1/clients')))
    expect(JSON.stringify(listed.map((answer) => answer.body))).not.toContain(String(body['client_id']))
  },
  async getServerMetadata() {
    expect(JSON.stringify((await app.bob.get('/.well-known/oauth-authorization-server')).body)).not.toMatch(/Alice|secret\.txt/)
  },
  async getOpenIdConfiguration() {
    expect(JSON.stringify((await app.bob.get('/.well-known/openid-configuration')).body)).not.toMatch(/Alice|secret\.txt/)
  },
  async getResourceMetadata() {
    expect(JSON.stringify((await app.bob.get('/.well-known/oauth-protected-resource')).body)).not.toMatch(/Alice|secret\.txt/)
  },
  async getMcpResourceMetadata() {
    const { body } = await app.bob.get('/.well-known/oauth-protected-resource/mcp')
    expect(JSON.stringify(body)).not.toMatch(/Alice|secret\.txt/)
  },
  async mcp() {
    const uri = `docsearch://documents/${document.id}/pages/1`
    for (const [method, params] of [
      ['tools/call', { name: 'search', arguments: { query: 'xylophone under the stairs' } }],
      ['tools/call', { name: 'search', arguments: { query: 'xylophone', project: document.project.id } }],
      ['tools/call', { name: 'search', arguments: { query: 'xylophone', project: 'Private' } }],
      ['tools/call', { name: 'fetch', arguments: { id: document.id } }],
      ['tools/call', { name: 'get_document', arguments: { id: `${document.id}:p1`, pages: '1' } }],
      ['tools/call', { name: 'list_projects', arguments: {} }],
      ['resources/list', {}],
      ['resources/read', { uri }],
    ] as const) {
      const { status, body } = await app.bob.post('/mcp', { jsonrpc: '2.0', id: 1, method, params })
      // What the request itself contains may come back.
      const said = JSON.stringify(body)
        .replaceAll(uri, '')
        .replaceAll(String.raw`\"Private\"`, '')
        .replaceAll(document.project.id, '')
      expect([status, said]).toEqual([200, expect.not.stringMatching(/under the stairs|secret\.txt|Private|Alice/)])
    }
    const own = { name: 'search', arguments: { query: 'gardens' } }
    const found = await app.bob.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: own })
    expect(JSON.stringify(found.body)).toContain('Bob writes about gardens.')
  },
  async getMe() {
    expect((await app.bob.get<Me>('/api/v1/me')).body.user.name).toBe('Bob')
  },
  async getHealth() {
    expect(JSON.stringify((await app.bob.get<Health>('/api/v1/health')).body)).not.toMatch(/Alice|Private|secret\.txt/)
  },
  async getStatus() {
    const { body } = await app.bob.get<Status>('/api/v1/status')
    expect(body).toMatchObject({ documents: { queued: 0, processing: 0, ready: 1, failed: 0 }, instance: null })
    expect(JSON.stringify(body)).not.toMatch(/Alice|Private|secret\.txt/)
  },
  async getMetrics() {
    const ownerId = (await app.bob.get<Me>('/api/v1/me')).body.user.id
    const { key } = await app.backend.apiKeys.create({ ownerId, name: 'k', scopes: ['read:metrics'], expiresAt: null })
    const answer = await app.stranger.call('GET', '/metrics', { headers: { Authorization: `Bearer ${key}` } })
    expect(answer).toMatchObject({ status: 403, body: { code: errorCode('owner_only') } })
  },
  async getOpenApi() {
    expect(JSON.stringify((await app.bob.get('/api/openapi.json')).body)).not.toMatch(/Alice|secret\.txt/)
  },
  async getDocs() {
    expect((await app.bob.get<string>('/api/docs')).body).not.toMatch(/Alice|secret\.txt/)
  },
  async getDocsStyle() {
    expect((await app.bob.get<string>('/api/docs/style.css')).body).not.toMatch(/Alice|secret\.txt/)
  },
}

test('every operation has a case here', () => {
  expect(routes.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(CASES).toSorted())
})

test.each(Object.entries(CASES))('%s does not show or change the data of another user', async (_operation, check) => {
  await check()
})
