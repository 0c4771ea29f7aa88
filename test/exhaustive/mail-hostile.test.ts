import { expect, onTestFinished, test } from 'vitest'
import type { Document, DocumentBatchAnswer, DocumentList } from '../../src/contract/documents.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import type { ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { errorCode, warningCode } from '../support/codes.ts'
import { textDocx } from '../support/make-bombs.ts'
import { makeMail, makeMbox, type MailPart } from '../support/make-mail.ts'
import { until } from '../support/until.ts'

async function start(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp(options)
  onTestFinished(() => app.close())
  return app
}

const bytes = (mail: Buffer) => new Uint8Array(mail)
const list = async (client: ApiClient, query = '') =>
  (await client.get<DocumentList>(`/api/v1/documents?limit=100&sort=name${query}`)).body.documents
const search = async (client: ApiClient, query: string, filter?: object) =>
  (await client.post<SearchAnswer>('/api/v1/search', { query, mode: 'keyword', correct: false, filter })).body.results.map(
    ({ document }) => document.path,
  )
const isSettled = async (client: ApiClient) =>
  (await list(client)).every(({ status }) => status === 'ready' || status === 'failed')
const text = (name: string, body = `The gatekeeper of ${name}.`): MailPart => ({ type: 'text/plain', name, body })

test('a user who does not see the project does not see attachments, whatever they ask for', async () => {
  const { alice, bob } = await start()
  const id = await alice.ready('secret.eml', bytes(makeMail({ attachments: [text('plan.txt')] })))
  const [attachment] = await list(alice, `&parent=${id}`)
  const own = await bob.ready('own.eml', bytes(makeMail({ attachments: [text('mine.txt')] })))
  for (const path of ['', '/content', '/text', '/pages/1.png'])
    expect((await bob.call('GET', `/api/v1/documents/${attachment!.id}${path}`)).status).toBe(404)
  for (const method of ['PATCH', 'DELETE'])
    expect((await bob.call(method, `/api/v1/documents/${attachment!.id}`, { json: { title: 'x' } })).status).toBe(404)
  expect(await list(bob, `&parent=${id}`)).toEqual([])
  expect(await search(bob, 'gatekeeper', { from: 'ada' })).toEqual(['own.eml/mine.txt'])
  expect(await search(bob, 'gatekeeper', { from: 'ada', document_ids: [attachment!.id] })).toEqual([])
  expect((await list(bob)).map((one) => one.id)).toContain(own)
})

test('a message that is deleted or moved while its attachments are read leaves none behind', async () => {
  const { alice } = await start()
  const mails = Array.from({ length: 12 }, (_, n) =>
    makeMail({ id: `${n}@example.org`, attachments: Array.from({ length: 10 }, (_, i) => text(`${n}-${i}.txt`)) }),
  )
  const { body } = await alice.upload(mails.map((mail, n) => ({ name: `${n}.eml`, content: bytes(mail) })))
  const ids = body.documents.map(({ id }) => id)
  await until('attachments are queued', async () => (await list(alice)).length > ids.length + 5)
  const change = (id: string, n: number) => {
    if (n % 3 === 0) return alice.call('DELETE', `/api/v1/documents/${id}`)
    if (n % 3 === 1) return alice.call('DELETE', `/api/v1/documents/${id}?permanent=true`)
    return alice.call('PATCH', `/api/v1/documents/${id}`, { json: { path: `moved/${n}.eml` } })
  }
  for (const { status } of await Promise.all(ids.map(change))) expect([200, 204]).toContain(status)
  await until('everything is read', () => isSettled(alice))
  const kept = ids.filter((_, n) => n % 3 === 2)
  await until('all attachments of the moved messages are there', async () => (await list(alice)).length >= kept.length * 11)
  await until('everything is read', () => isSettled(alice))
  const left = await list(alice)
  expect(new Set(left.map(({ id, parent_id: parent }) => parent ?? id))).toEqual(new Set(kept))
  expect(left).toHaveLength(kept.length * 11)
  expect(left.every(({ path }) => path.startsWith('moved/'))).toBe(true)
  const found = await alice.post<SearchAnswer>('/api/v1/search', { query: 'gatekeeper', mode: 'keyword', limit: 100 })
  expect(found.body.results.every(({ document }) => document.path.startsWith('moved/'))).toBe(true)
})

test('an attachment that is a bomb, or not what it says, fails alone', async () => {
  const { alice } = await start({ limits: { parseMs: 20_000 } })
  const attachments: MailPart[] = [
    { type: 'application/pdf', name: 'bomb.docx', body: textDocx(200) },
    { type: 'text/plain', name: 'lie.txt', body: Buffer.from('%PDF-1.7\nnothing') },
    { type: 'application/pdf', name: 'page.pdf', body: Buffer.from('<!doctype html><p>The lighthouse</p><script>x()</script>') },
    text('fine.txt'),
  ]
  await alice.upload([{ name: 'bomb.eml', content: bytes(makeMail({ text: 'The ferry.', attachments })) }])
  await until('everything is read', async () => (await list(alice)).length === 5 && (await isSettled(alice)))
  const states = (await list(alice)).map(({ path, status, media_type: type }) => `${path} ${status} ${type}`)
  expect(states.toSorted()).toEqual([
    'bomb.eml ready message/rfc822',
    expect.stringMatching(/^bomb\.eml\/bomb\.docx failed /),
    'bomb.eml/fine.txt ready text/plain',
    'bomb.eml/lie.txt failed application/pdf',
    'bomb.eml/page.pdf ready text/html',
  ])
  expect(await search(alice, 'lighthouse')).toEqual(['bomb.eml/page.pdf'])
  const page = (await list(alice)).find(({ name }) => name === 'page.pdf')!
  const { headers } = await alice.call('GET', `/api/v1/documents/${page.id}/content`)
  expect(headers.get('content-disposition')).toMatch(/^attachment/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('attachments count towards the quota of documents, and attachments over the quota are named', async () => {
  const { alice } = await start({ quotas: { documents: 3 } })
  const mail = makeMail({ attachments: ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => text(name)) })
  const id = await alice.ready('m.eml', bytes(mail))
  expect((await list(alice)).map(({ path }) => path).toSorted()).toEqual(['m.eml', 'm.eml/a.txt', 'm.eml/b.txt'])
  const { body } = await alice.get<Document>(`/api/v1/documents/${id}`)
  expect(body.warnings).toMatchObject([{ code: warningCode('attachments_skipped'), message: /c\.txt \(.*quota/ }].map(like))
  expect(body.parse.attachments_skipped?.map(({ name, code }) => [name, code])).toEqual([
    ['c.txt', errorCode('quota_exceeded')],
    ['d.txt', errorCode('quota_exceeded')],
  ])
  expect((await alice.upload([{ name: 'e.txt', content: 'e' }])).body.rejected).toMatchObject([
    { code: errorCode('quota_exceeded') },
  ])
})

test('a batch refuses to restore attachments over the quota, and restores their message', async () => {
  const { alice } = await start({ quotas: { documents: 3 } })
  const id = await alice.ready('m.eml', bytes(makeMail({ attachments: [text('a.txt'), text('b.txt')] })))
  await until('everything is read', () => isSettled(alice))
  const [a, b] = (await list(alice, `&parent=${id}`)).map((one) => one.id)
  const ids = [b, id, a]
  const batch = async (action: string) =>
    (await alice.post<DocumentBatchAnswer>('/api/v1/documents/batch', { action, ids })).body.results
  await batch('delete')
  await alice.ready('c.txt', 'c')
  expect(await batch('restore')).toEqual([
    { id: b, status: 422, code: errorCode('quota_exceeded') },
    { id, status: 202 },
    { id: a, status: 202 },
  ])
  await until('everything is read', () => isSettled(alice))
  expect((await list(alice)).map(({ path }) => path)).toEqual(['m.eml/a.txt', 'c.txt', 'm.eml'])
})

test('a damaged message of a mailbox is skipped with a warning', async () => {
  const { alice } = await start()
  const broken = Buffer.from(`From: a@b.org\r\nX-Long: ${'y'.repeat(5_000_000)}\r\n\r\ntext`)
  const id = await alice.ready('in.mbox', bytes(makeMbox([makeMail({ text: 'The ferry.' }), broken])))
  const { body } = await alice.get<Document>(`/api/v1/documents/${id}`)
  expect(body.status).toBe('ready')
  expect(body.warnings).toMatchObject([{ code: warningCode('messages_damaged'), page: 2 }])
  expect((await list(alice, '&warnings=true')).map((one) => one.id)).toEqual([id])
  expect(await search(alice, 'ferry')).toEqual(['in.mbox'])
})

test('lines of a body that begin with "From " do not begin messages', async () => {
  const { alice } = await start()
  const text = 'From the harbour we sailed.\n\nFrom here on, the lighthouse guided us.\n\nFrom: nobody'
  const id = await alice.ready('in.mbox', bytes(makeMbox([makeMail({ text }), makeMail({ id: 'b', text: 'The ferry.' })])))
  expect((await alice.get<Document>(`/api/v1/documents/${id}`)).body.page_count).toBe(2)
})

function like({ code, message }: { code: string; message: RegExp }): object {
  return { code, message: expect.stringMatching(message) }
}
