import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiKeyCreated } from '../../src/contract/account.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { DEGRADED_REASONS, SEARCH_STAGES } from '../../src/core/telemetry.ts'
import { apiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { labelsOf, samplesOf, type Sample } from '../support/metrics.ts'
import { until } from '../support/until.ts'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp()
  key = (await app.alice.post<ApiKeyCreated>('/api/v1/keys', { name: 'prometheus', scopes: ['read:metrics'] })).body.key
})
afterAll(() => app?.close())

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

async function scrape(): Promise<string> {
  const response = await fetch(`${app.url}/metrics`, { headers: bearer(key) })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  return response.text()
}

const samples = async (): Promise<Sample[]> => samplesOf(await scrape())

async function valueOf(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const found = (await samples()).find(
    (sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  return found?.value
}

/** The metrics that are promised, with their labels. */
const PROMISED: Record<string, string[]> = {
  docsearch_http_request_duration_seconds: ['method', 'route', 'status'],
  docsearch_search_stage_duration_seconds: ['stage'],
  docsearch_search_degraded_total: ['reason'],
  docsearch_documents: ['status'],
  docsearch_queue_oldest_seconds: [],
  docsearch_ingest_documents_total: ['media_type', 'outcome'],
  docsearch_index_unindexed_rows: [],
  docsearch_index_chunks: [],
  docsearch_build_info: ['node', 'version'],
}

test('has every promised metric with exactly its labels', async () => {
  await app.alice.ready('trees.txt', 'Linden trees line the street.')
  await app.alice.post('/api/v1/search', { query: 'linden' })
  await until(
    'the request to be counted',
    async () => (await valueOf('docsearch_http_request_duration_seconds_count', { route: '/api/v1/search' })) === 1,
  )
  const labels = labelsOf(await scrape())
  for (const [name, expected] of Object.entries(PROMISED)) expect([name, labels.get(name)]).toEqual([name, expected])
  expect(await valueOf('docsearch_documents', { status: 'ready' })).toBe(1)
  expect(await valueOf('docsearch_index_chunks')).toBe(1)
  expect(await valueOf('docsearch_index_unindexed_rows')).toBe(0)
  expect(await valueOf('docsearch_queue_oldest_seconds')).toBe(0)
  expect(await valueOf('docsearch_ingest_documents_total', { outcome: 'ready', media_type: 'text/plain' })).toBe(1)
  expect(await valueOf('docsearch_build_info', { version: '0.0.0-test' })).toBe(1)
  const stages = (await samples()).filter(({ name }) => name === 'docsearch_search_stage_duration_seconds_count')
  expect(SEARCH_STAGES).toEqual(expect.arrayContaining(stages.map(({ labels: { stage } }) => stage)))
  expect(stages.map(({ labels: { stage } }) => stage)).toEqual(
    expect.arrayContaining(['spelling', 'embed', 'find', 'read', 'highlight']),
  )
  expect(await valueOf('docsearch_backup_last_success_timestamp_seconds')).toBeUndefined()
})

test('counts documents that fail, by format and by error code', async () => {
  const { body } = await app.alice.upload([{ name: 'broken.pdf', content: '%PDF-1.4 broken' }], {}, { Prefer: 'wait=60' })
  expect(body.documents[0]).toMatchObject({ status: 'failed' })
  expect(await valueOf('docsearch_ingest_documents_total', { outcome: 'failed', media_type: 'application/pdf' })).toBe(1)
  expect(await valueOf('docsearch_ingest_failures_total', { code: 'corrupt' })).toBe(1)
})

test('no label has anything that a caller chose: paths, methods, queries, names', async () => {
  const secret = 'kumquat'
  const before = (await samples()).length
  await app.alice.ready(`${secret}.txt`, `${secret} jam`, { project: secret, tags: secret })
  await app.alice.post('/api/v1/search', { query: `${secret} "${secret} jam" tag:${secret}` })
  for (let i = 0; i < 50; i++) {
    await app.stranger.call('GET', `/${secret}/${i}?q=${secret}`)
    await app.alice.get(`/api/v1/documents/${secret}-${i}`)
    await fetch(`${app.url}/documents/${secret}`, { method: 'PROPFIND' })
  }
  const text = await until('the requests to be counted', async () => {
    const now = await scrape()
    return (
      (samplesOf(now).find(
        ({ name, labels }) =>
          name.endsWith('duration_seconds_count') && labels['route'] === 'other' && labels['status'] === '404',
      )?.value ?? 0) >= 50 && now
    )
  })
  expect(text.toLowerCase()).not.toContain(secret)
  expect(text).not.toMatch(/alice|bob|usr_|prj_|doc_|key_/i)
  const routes = new Set(samplesOf(text).flatMap(({ labels }) => labels['route'] ?? []))
  expect(routes).toContain('other')
  expect(routes).toContain('/api/v1/documents/{id}')
  // A handful of new combinations, each with its buckets, and not one for each request.
  expect(samplesOf(text).length - before).toBeLessThan(400)
})

test('counts refusals, degraded searches and event streams from 0 on', async () => {
  for (const reason of DEGRADED_REASONS) expect(await valueOf('docsearch_search_degraded_total', { reason })).toBeDefined()
  const before = (await valueOf('docsearch_search_degraded_total', { reason: 'embedder_failed' }))!
  const leave = new AbortController()
  await fetch(`${app.url}/api/v1/events`, { headers: bearer(app.alice.key!), signal: leave.signal })
  expect(await valueOf('docsearch_event_streams')).toBe(1)
  leave.abort()
  await until('the stream to be closed', async () => (await valueOf('docsearch_event_streams')) === 0)
  expect(before).toBe(0)
  expect(await valueOf('docsearch_rate_limited_total', { limit: 'credential' })).toBe(0)
})

describe('who may read them', () => {
  const refusal = (status: number, code: ErrorCode) => ({ status, body: { code } })
  const create = (client: TestApp['alice'], json: object) => client.post<ApiKeyCreated>('/api/v1/keys', { name: 'k', ...json })

  test('only a key with the scope, and it reads nothing else', async () => {
    expect(await app.stranger.get('/metrics')).toMatchObject(refusal(401, errorCode('unauthorized')))
    expect(await app.alice.get('/metrics')).toMatchObject(refusal(403, errorCode('insufficient_scope')))
    const client = apiClient(app.url, key)
    for (const path of ['documents', 'projects', 'events', 'status', 'keys', 'users', 'models', 'audit', 'connections'])
      expect([path, await client.get(`/api/v1/${path}`)]).toMatchObject([path, refusal(403, errorCode('insufficient_scope'))])
    expect(await client.post('/api/v1/search', { query: 'linden' })).toMatchObject(refusal(403, errorCode('insufficient_scope')))
    expect(await client.get('/api/v1/me')).toMatchObject({ status: 200, body: { scopes: ['read:metrics'] } })
  })

  test('only the owner creates such a key, with the scope to manage keys and without a limit', async () => {
    expect(await create(app.bob, { scopes: ['read:metrics'] })).toMatchObject(refusal(403, errorCode('owner_only')))
    expect(await create(await app.aliceWith('read:documents'), { scopes: ['read:metrics'] })).toMatchObject(
      refusal(403, errorCode('insufficient_scope')),
    )
    expect(await create(app.alice, { scopes: ['read:metrics'], projects: ['default'] })).toMatchObject(
      refusal(400, errorCode('invalid_request')),
    )
    const both = await create(app.alice, { scopes: ['read:documents', 'read:metrics'] })
    expect(both).toMatchObject({ status: 201, body: { scopes: ['read:documents', 'read:metrics'] } })
    expect((await fetch(`${app.url}/metrics`, { headers: bearer(both.body.key) })).status).toBe(200)
    expect((await create(app.alice, {})).body.scopes).not.toContain('read:metrics')
  })

  test('a key stops reading metrics when its user is disabled or no longer the owner', async () => {
    const { users } = app.backend.records
    const mallory = await users.create({ name: 'Mallory', email: 'mallory@example.org', role: 'member' })
    const own = await app.backend.apiKeys.create({ ownerId: mallory.id, name: 'k', scopes: ['read:metrics'], expiresAt: null })
    expect(await apiClient(app.url, own.key).get('/metrics')).toMatchObject(refusal(403, errorCode('owner_only')))
    await users.setDisabled(mallory.id, true)
    expect(await apiClient(app.url, own.key).get('/metrics')).toMatchObject(refusal(401, errorCode('invalid_token')))
  })

  test('no application can have the scope', async () => {
    const redirect = 'https://a.example.org/cb'
    expect(
      await app.alice.post('/api/v1/clients', { name: 'a', redirect_uris: [redirect], scopes: ['read:metrics'] }),
    ).toMatchObject(refusal(400, errorCode('invalid_request')))
    const { body } = await app.alice.post<{ client_id: string }>('/api/v1/clients', { name: 'a', redirect_uris: [redirect] })
    const query = new URLSearchParams({
      client_id: body.client_id,
      redirect_uri: redirect,
      response_type: 'code',
      state: 's',
      scope: 'read:documents read:metrics',
    })
    const answer = await fetch(`${app.url}/api/oauth/authorize?${query}`, { redirect: 'manual' })
    expect(new URL(answer.headers.get('location')!).searchParams.get('error')).toBe('invalid_scope')
    const metadata = await app.stranger.get<{ scopes_supported: string[] }>('/.well-known/oauth-authorization-server')
    expect(metadata.body.scopes_supported).not.toContain('read:metrics')
    const registered = await app.stranger.post<{ scope: string }>('/api/oauth/register', {
      redirect_uris: [redirect],
      scope: 'read:documents read:metrics',
    })
    expect(registered.body.scope).toBe('read:documents')
  })
})

test('works below the path of a public URL, and while the database fails', async () => {
  const other = await startTestApp({
    basePath: '/docs',
    change: ({ records }) => ({
      records: { ...records, queue: { ...records.queue, counts: () => Promise.reject(new Error('the disk is gone')) } },
    }),
  })
  try {
    const { body } = await other.alice.post<ApiKeyCreated>('/api/v1/keys', { name: 'p', scopes: ['read:metrics'] })
    const answer = await fetch(`${other.url}/metrics`, { headers: bearer(body.key) })
    expect([other.url.endsWith('/docs'), answer.status]).toEqual([true, 200])
    const text = await answer.text()
    expect(text).toContain('docsearch_build_info{')
    expect(text).not.toContain('docsearch_documents{')
  } finally {
    await other.close()
  }
})
