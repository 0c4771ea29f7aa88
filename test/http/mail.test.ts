import { expect, onTestFinished, test } from 'vitest'
import type { Document, DocumentBatchAnswer, DocumentList } from '../../src/contract/documents.ts'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import type { ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { makeMail, makeMbox } from '../support/make-mail.ts'
import { loggedIn } from '../support/web-client.ts'

async function start(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await startTestApp(options)
  onTestFinished(() => app.close())
  return app
}

const bytes = (mail: Buffer) => new Uint8Array(mail)
const attachmentsOf = async (client: ApiClient, id: string) =>
  (await client.get<DocumentList>(`/api/v1/documents?sort=name&parent=${id}`)).body.documents
const find = async (client: ApiClient, query: string, more: Omit<SearchRequest, 'query'> = {}) =>
  (await client.post<SearchAnswer>('/api/v1/search', { query, mode: 'keyword', correct: false, ...more })).body.results
const names = async (client: ApiClient, query: string, more: Omit<SearchRequest, 'query'> = {}) =>
  (await find(client, query, more)).map(({ document }) => document.name)

/** Waits until no document is queued or processing. */
const settled = (client: ApiClient) =>
  expect
    .poll(
      async () => {
        const { documents } = (await client.get<DocumentList>('/api/v1/documents?limit=100')).body
        return documents.filter(({ status }) => status === 'queued' || status === 'processing').length
      },
      { timeout: 20_000 },
    )
    .toBe(0)

const INNER = makeMail({
  subject: 'Inner',
  text: 'About the windmill.',
  attachments: [{ type: 'text/plain', name: 'deep.txt', body: 'The deepest lighthouse.' }],
})
const MAIL = makeMail({
  text: 'The ferry leaves at noon.',
  attachments: [
    { type: 'text/plain', name: 'lantern.txt', body: 'The gatekeeper keeps the lantern.' },
    { type: 'message/rfc822', name: 'inner.eml', body: INNER.toString() },
    { type: 'image/png', name: 'photo.png', body: Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1') },
  ],
})

test('attachments are documents that follow their message', async () => {
  const { alice } = await start()
  const id = await alice.ready('trip.eml', bytes(MAIL), { tags: 'trip', path: 'mail/trip.eml' })
  await settled(alice)
  const [inner, lantern] = await attachmentsOf(alice, id)
  expect(inner).toMatchObject({ path: 'mail/trip.eml/inner.eml', media_type: 'message/rfc822', parent_id: id, status: 'ready' })
  expect(lantern).toMatchObject({ media_type: 'text/plain', tags: ['trip'], parent_page: 1 })
  expect(await attachmentsOf(alice, inner!.id)).toMatchObject([{ name: 'deep.txt' }])
  expect([await names(alice, 'gatekeeper'), await names(alice, 'windmill'), await names(alice, 'lighthouse')]).toEqual([
    ['lantern.txt'],
    ['inner.eml'],
    ['deep.txt'],
  ])
  const message = (await alice.get<Document>(`/api/v1/documents/${id}`)).body
  expect(message.parse.attachments_skipped).toEqual([{ name: 'photo.png', page: 1, code: 'unsupported_type' }])
  expect(message.warnings).toEqual([])
  const top = (await alice.get<DocumentList>('/api/v1/documents?attachments=false')).body.documents
  expect(top.map((one) => one.id)).toEqual([id])
  const content = await alice.call('GET', `/api/v1/documents/${lantern!.id}/content`)
  expect(content).toMatchObject({ status: 200, body: expect.stringMatching(/^The gatekeeper keeps the lantern\.\n?$/) })

  const of = (path: string) => `/api/v1/documents/${path}`
  for (const change of [{ path: 'x' }, { tags: ['x'] }, { name: 'x' }])
    expect(await alice.call('PATCH', of(lantern!.id), { json: change })).toMatchObject({
      status: 409,
      body: { code: errorCode('is_attachment') },
    })
  expect((await alice.call('DELETE', of(lantern!.id))).status).toBe(409)
  expect((await alice.call('PATCH', of(lantern!.id), { json: { title: 'A lantern' } })).status).toBe(200)

  expect((await alice.call('PATCH', of(id), { json: { path: 'mail/moved.eml', tags: ['past'] } })).status).toBe(200)
  await settled(alice)
  expect((await attachmentsOf(alice, id)).map(({ path, tags, title }) => [path, tags, title])).toEqual([
    ['mail/moved.eml/inner.eml', ['past'], 'Inner'],
    ['mail/moved.eml/lantern.txt', ['past'], 'A lantern'],
  ])
  expect(await names(alice, 'lighthouse path:mail/moved.eml')).toEqual(['deep.txt'])
  expect(await names(alice, 'gatekeeper tag:past')).toEqual(['lantern.txt'])

  expect((await alice.call('DELETE', of(id))).status).toBe(204)
  expect([await names(alice, 'gatekeeper'), await names(alice, 'lighthouse')]).toEqual([[], []])
  expect((await alice.get<DocumentList>('/api/v1/documents?trashed=true')).body.documents).toHaveLength(1)
  await alice.call('POST', `${of(id)}/restore`)
  await settled(alice)
  expect((await attachmentsOf(alice, id)).map((one) => one.id)).toEqual([inner!.id, lantern!.id])
  expect([await names(alice, 'gatekeeper'), await names(alice, 'lighthouse')]).toEqual([['lantern.txt'], ['deep.txt']])
})

test('a batch does with attachments what it does with their message', async () => {
  const app = await start()
  const { alice } = app
  const id = await alice.ready('trip.eml', bytes(MAIL))
  await settled(alice)
  const [inner, lantern] = await attachmentsOf(alice, id)
  const [deep] = await attachmentsOf(alice, inner!.id)
  const batch = async (json: object) =>
    (await alice.post<DocumentBatchAnswer>('/api/v1/documents/batch', json)).body.results.map((one) => [one.id, one.status])
  const all = [lantern!.id, id, deep!.id, inner!.id]
  const each = (status: number) => all.map((one) => [one, status])
  expect(await batch({ action: 'update', ids: all, add_tags: ['sea'] })).toEqual(each(200))
  expect(await batch({ action: 'delete', ids: all })).toEqual(each(204))
  expect(await names(alice, 'gatekeeper')).toEqual([])
  expect(await batch({ action: 'restore', ids: all })).toEqual(each(202))
  await settled(alice)
  expect(await names(alice, 'gatekeeper tag:sea')).toEqual(['lantern.txt'])
  expect(await batch({ action: 'delete', ids: [lantern!.id, inner!.id, deep!.id] })).toEqual([
    [lantern!.id, 409],
    [inner!.id, 409],
    [deep!.id, 409],
  ])

  const browser = await loggedIn(app, 'alice@example.org')
  const list = await browser.get('/documents')
  const deleted = await browser.follow(await browser.submit(list, '/documents/batch', { ids: all }, 'Delete'))
  expect(deleted.text).toContain('The documents are in the trash.')
  const undone = await browser.follow(await browser.submit(deleted, '/documents/batch'))
  expect(undone.text).toContain('The documents were restored.')
  await settled(alice)
  expect(await names(alice, 'gatekeeper')).toEqual(['lantern.txt'])
  expect(await batch({ action: 'delete', permanent: true, ids: [id, ...all.filter((one) => one !== id)] })).toEqual(
    [id, ...all.filter((one) => one !== id)].map((one) => [one, 204]),
  )
})

test('a new version of a message replaces its attachments and keeps those that are the same', async () => {
  const { alice } = await start()
  const id = await alice.ready('a.eml', bytes(MAIL))
  await settled(alice)
  const [, lantern] = await attachmentsOf(alice, id)
  const attachments = [
    { type: 'text/plain', name: 'lantern.txt', body: 'The gatekeeper keeps the lantern.' },
    { type: 'text/plain', name: 'new.txt', body: 'A barometer.' },
  ]
  await alice.ready('a.eml', bytes(makeMail({ text: 'Another ferry.', attachments })))
  await settled(alice)
  expect((await attachmentsOf(alice, id)).map(({ name, id: each }) => [name, each === lantern!.id])).toEqual([
    ['lantern.txt', true],
    ['new.txt', false],
  ])
  expect([await names(alice, 'lighthouse'), await names(alice, 'barometer')]).toEqual([[], ['new.txt']])
})

test('an upload that waits has waited for the attachments, too', async () => {
  const { alice } = await start()
  await alice.ready('a.eml', bytes(MAIL))
  const all = (await alice.get<DocumentList>('/api/v1/documents')).body.documents
  expect(all.map(({ name, status }) => `${name} ${status}`).toSorted()).toEqual([
    'a.eml ready',
    'deep.txt ready',
    'inner.eml ready',
    'lantern.txt ready',
  ])
})

test('a result says which message it is in, and the original is downloaded as mail', async () => {
  const { alice } = await start()
  const mails = [
    makeMail({ text: 'The ferry leaves at noon.' }),
    makeMail({ id: 'b', from: 'bob@example.org', date: 'Sat, 1 Jun 2024 10:00:00 +0000', text: 'The windmill turns.' }),
  ]
  const id = await alice.ready('in.mbox', bytes(makeMbox(mails)))
  expect(await find(alice, 'ferry')).toMatchObject([{ location: 'message of 3 May 2024 from Ada Lovelace' }])
  expect(await find(alice, 'windmill')).toMatchObject([
    { chunk: { page_start: 2 }, location: 'message of 1 June 2024 from bob@example.org' },
  ])
  const { headers } = await alice.call('GET', `/api/v1/documents/${id}/content`)
  expect(headers.get('content-type')).toBe('application/mbox')
  expect(headers.get('content-disposition')).toMatch(/^attachment/)
})

test('messages and their attachments are found by people, subject and date, by operators and by filters', async () => {
  const { alice } = await start()
  const attachments = [{ type: 'text/plain', name: 'ada.txt', body: 'The ferry has a lantern.' }]
  const mails = [
    makeMail({ text: 'The ferry leaves at noon.', attachments }),
    makeMail({
      id: 'b',
      from: 'Bob <bob@example.org>',
      to: 'Ada',
      subject: 'Re: Pier',
      date: 'Sat, 1 Jun 2024 10:00:00 +0000',
      text: 'The ferry returns.',
    }),
  ]
  await alice.ready('in.mbox', bytes(makeMbox(mails)))
  await alice.ready('note.txt', 'The ferry is late.')
  const texts = async (query: string, more: Omit<SearchRequest, 'query'> = {}) =>
    (await find(alice, query, more)).map(({ text }) => /noon|lantern|returns|late/.exec(text)![0]).toSorted()
  expect(await texts('ferry')).toEqual(['lantern', 'late', 'noon', 'returns'])
  for (const query of [
    'from:lovelace',
    'from:ADA@example.org',
    'to:bob',
    'subject:harbour',
    'before:2024-06',
    '-from:bob -name:note',
  ])
    expect([query, await texts(`ferry ${query}`)]).toEqual([query, ['lantern', 'noon']])
  for (const query of [
    'from:"Bob <bob"',
    'subject:"re: pier"',
    'after:2024-06-01',
    'after:2024-05 -from:ada',
    'from:bob from:example',
  ])
    expect([query, await texts(`ferry ${query}`)]).toEqual([query, ['returns']])
  expect(await texts('ferry from:nobody')).toEqual([])
  expect(await texts('ferry -subject:harbour')).toEqual(['late', 'returns'])
  expect(await texts('ferry', { filter: { from: 'ada', sent_before: '2024-06-01T00:00:00Z' } })).toEqual(['lantern', 'noon'])
  expect(await texts('ferry', { filter: { subject: 'pier', sent_after: '2024-06-01T00:00:00Z', to: 'ada' } })).toEqual([
    'returns',
  ])
  // Ordinary words, as before.
  expect(await texts('ferry from: noon')).toEqual(['lantern', 'late', 'noon', 'returns'])
  expect(await texts('ferry after:noon')).toEqual(['lantern', 'late', 'noon', 'returns'])
})

test('quotes of a message in the project are not indexed twice, and anything else stays findable', async () => {
  const { alice } = await start()
  const reply = (id: string, answers: string[], text: string) =>
    bytes(makeMail({ id, answers, from: 'b@e.org', subject: `Re ${id}`, text }))
  const quoted = '> The ferry leaves at noon\n> from the old pier.\n>\n> The barometer falls.\n'
  const original = await alice.ready(
    'one.eml',
    bytes(makeMail({ id: 'one', text: 'The ferry leaves at noon from the old pier.\n\nThe barometer is steady.' })),
  )
  await alice.ready('two.eml', reply('two', ['one'], `Which windmill?\n\n${quoted}\nAn inline answer about the lantern.\n`))
  await alice.ready('three.eml', reply('three', ['unknown'], `Yes.\n\n${quoted}`))
  expect((await names(alice, 'ferry pier')).toSorted()).toEqual(['one.eml', 'three.eml'])
  // Not word for word what the message says.
  expect((await names(alice, '"barometer falls"')).toSorted()).toEqual(['three.eml', 'two.eml'])
  expect([await names(alice, 'windmill'), await names(alice, 'inline lantern')]).toEqual([['two.eml'], ['two.eml']])
  const { body } = await alice.get<string>(`/api/v1/documents/${(await find(alice, 'windmill'))[0]!.document.id}/text`)
  expect(JSON.stringify(body)).toContain('old pier')

  await alice.call('DELETE', `/api/v1/documents/${original}`)
  await settled(alice)
  await expect.poll(async () => (await names(alice, 'ferry pier')).toSorted()).toEqual(['three.eml', 'two.eml'])

  const mails = [
    makeMail({ id: 'mail-1', text: 'The lighthouse is white.' }),
    Buffer.from(reply('mail-2', ['mail-1'], 'So it is.\n\n> The lighthouse is white.\n')),
  ]
  await alice.ready('in.mbox', bytes(makeMbox(mails)))
  expect((await find(alice, 'lighthouse')).map(({ chunk }) => chunk.page_start)).toEqual([1])
})
