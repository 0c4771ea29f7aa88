import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Me } from '../../src/contract/account.ts'
import type { Document, UploadAnswer } from '../../src/contract/documents.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import type { User } from '../../src/contract/users.ts'
import { apiClient, type ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { until } from '../support/until.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ quotas: { documents: 4, bytes: 1_000 } })
})
afterAll(() => app?.close())

let users = 0
/** Adds a user, with quotas of their own where given. */
async function newUser(quota?: Partial<User['quota']>): Promise<{ user: User; client: ApiClient }> {
  const { body: user } = await app.alice.post<User>('/api/v1/users', { email: `user-${++users}@example.org` })
  if (quota !== undefined) await app.alice.call('PATCH', `/api/v1/users/${user.id}`, { json: { quota } })
  const { key } = await app.backend.apiKeys.create({
    ownerId: user.id,
    name: 'k',
    scopes: ['read:documents', 'write:documents'],
    expiresAt: null,
  })
  return { user, client: apiClient(app.url, key) }
}
const file = (name: string, bytes: number) => ({ name, content: name.padEnd(bytes, ' text') })
const whole = ({ documents, rejected }: UploadAnswer) => [
  documents.map(({ name }) => name),
  rejected.map(({ name, code }) => [name, code]),
]

test('each file of an upload is checked separately, and the refusal names the quota, its value and the usage', async () => {
  const { client } = await newUser()
  const mixed = await client.upload([file('a.txt', 600), file('b.txt', 500), file('c.txt', 400)])
  expect([mixed.status, ...whole(mixed.body)]).toEqual([202, ['a.txt', 'c.txt'], [['b.txt', errorCode('quota_exceeded')]]])
  const message = 'Your quota is 1,000 bytes. Your documents use 600, and this file would add 500.'
  expect(mixed.body.rejected[0]!.message).toContain(message)
  const refused = await client.upload([file('d.txt', 100), file('e.txt', 1)])
  expect([refused.status, ...whole(refused.body)]).toEqual([
    422,
    [],
    [
      ['d.txt', errorCode('quota_exceeded')],
      ['e.txt', errorCode('quota_exceeded')],
    ],
  ])
  expect(refused.body).toMatchObject({ code: errorCode('quota_exceeded'), status: 422 })
  expect((await client.upload([file('a.txt', 500)])).body.documents[0]).toMatchObject({ outcome: 'replaced', size_bytes: 500 })
})

test('simultaneous uploads cannot exceed a quota together, and other users are not affected', async () => {
  const [one, other] = [await newUser(), await newUser()]
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => one.client.upload([file(`${i}.txt`, 20)])))
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(4)
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(8)
  expect((await other.client.upload([file('mine.txt', 20)])).status).toBe(202)
})

test('the owner sees and sets the quota of a user, and users see their usage', async () => {
  const { user, client } = await newUser()
  await client.upload([file('a.txt', 300), file('b.txt', 300)], {}, { Prefer: 'wait=60' })
  const show = async () => (await app.alice.get<User>(`/api/v1/users/${user.id}`)).body
  expect(await show()).toMatchObject({
    usage: { documents: 2, bytes: 600 },
    quota: { documents: 4, bytes: 1_000, passages: null },
  })
  const changed = await app.alice.call<User>('PATCH', `/api/v1/users/${user.id}`, {
    json: { quota: { documents: 2, bytes: 0, passages: 9 } },
  })
  expect(changed.body.quota).toEqual({ documents: 2, bytes: null, passages: 9 })
  expect((await client.upload([file('c.txt', 10)])).body).toMatchObject({
    detail: expect.stringContaining('Your quota is 2 documents, and you have 2.'),
  })
  const { body } = await client.get<Me>('/api/v1/me')
  expect(body.usage).toEqual((await show()).usage)
  expect(body.quota).toEqual(changed.body.quota)
  const back = await app.alice.call<User>('PATCH', `/api/v1/users/${user.id}`, { json: { quota: { documents: null } } })
  expect(back.body.quota).toEqual({ documents: 4, bytes: null, passages: 9 })
  expect((await app.alice.call('PATCH', `/api/v1/users/${user.id}`, { json: { quota: { documents: -1 } } })).status).toBe(400)
  expect((await app.bob.call('PATCH', `/api/v1/users/${user.id}`, { json: { quota: { documents: 9 } } })).status).toBe(403)
})

test('a document with too many passages fails, is not found, and its earlier version leaves the index', async () => {
  const { user, client } = await newUser({ passages: 2, bytes: 0 })
  const long = (word: string) =>
    Array.from({ length: 400 }, (_, i) => `# ${word} ${i}\n\nA paragraph about ${word}.\n`).join('\n')
  const settled = async (id: string) => {
    let document: Document | undefined
    await until('the document to be processed', async () => {
      document = (await client.get<Document>(`/api/v1/documents/${id}`)).body
      return document.status === 'ready' || document.status === 'failed'
    })
    return document!
  }
  const find = async (query: string) =>
    (await client.post<SearchAnswer>('/api/v1/search', { query, mode: 'keyword' })).body.results
  const first = (await client.upload([{ name: 'a.md', content: 'A short note about zebras.' }])).body.documents[0]!
  expect(await settled(first.id)).toMatchObject({ status: 'ready', chunk_count: 1 })
  expect(await find('zebras')).toHaveLength(1)
  await client.upload([{ name: 'a.md', content: long('okapi') }])
  expect(await settled(first.id)).toMatchObject({
    status: 'failed',
    error: { code: errorCode('quota_exceeded'), message: expect.stringContaining('Your quota is 2 passages.') },
  })
  await until('the earlier version to leave the index', async () => (await find('zebras')).length === 0)
  expect(await find('okapi')).toEqual([])

  for (const name of ['b.md', 'c.md'])
    await settled((await client.upload([{ name, content: `# ${name}` }])).body.documents[0]!.id)
  expect((await app.alice.get<User>(`/api/v1/users/${user.id}`)).body.usage.passages).toBe(2)
  expect(await client.upload([{ name: 'd.md', content: 'one more' }])).toMatchObject({
    status: 422,
    body: { code: errorCode('quota_exceeded'), detail: expect.stringContaining('Your quota is 2 passages') },
  })
})
