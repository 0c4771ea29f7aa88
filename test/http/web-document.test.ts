import { afterAll, beforeAll, expect, test } from 'vitest'
import { passageAddress } from '../../src/contract/addresses.ts'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { makePdf } from '../support/make-documents.ts'
import { makeMail } from '../support/make-mail.ts'
import { readHtml } from '../support/read-html.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'
import { until } from '../support/until.ts'

let app: TestApp
let alice: WebClient
let id: string
let longId: string
beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
  const first = 'The lease\n\nThe rent is due on the third working day.\n'
  id = await app.alice.ready('lease.txt', `${first}\f<i>Notice</i> is three months.\n\nשלום עולם\n`, { tags: 'flat' })
  longId = await app.alice.ready('long.txt', Array.from({ length: 3000 }, (_, n) => `Line ${n} of a long text.`).join('\n\n'))
})
afterAll(() => app?.close())

async function linkTo(query: string): Promise<string> {
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query })
  const url = new URL(body.results[0]!.url)
  expect(url.origin).toBe(app.url)
  return url.pathname + url.search
}

const passageOf = (html: string) =>
  readHtml(html)
    .filter(({ tag, attributes }) => tag === 'mark' && attributes['class'] === 'passage')
    .map(({ text }) => text)

test('shows the text page by page, with the passage and the words of the query marked', async () => {
  const page = await alice.get(`${await linkTo('when is the notice')}&q=notice+months`)
  expect(page.status).toBe(200)
  expect(passageOf(page.html)).toEqual(['<i>Notice</i> is three months.', 'שלום עולם'])
  expect(page.html).toContain('&lt;i><mark>Notice</mark>&lt;/i> is three <mark>months</mark>.')
  expect(readHtml(page.html).filter(({ attributes }) => attributes['id'] === 'passage')).toHaveLength(1)
  const { text } = page
  for (const part of ['Page 1', 'The rent is due on the third working day.', 'Page 2', 'flat', 'default'])
    expect(text).toContain(part)
  expect(
    readHtml(page.html).find(({ tag, text: inner }) => tag === 'a' && inner.startsWith('Results for'))?.attributes['href'],
  ).toBe('/?q=notice+months')
})

test('shows a message with its attachments, and what it quotes', async () => {
  const mail = makeMail({
    subject: 'The ferry',
    text: 'It leaves at nine.\n\n> When does it leave?\n>\n> I wait at the pier.\n\nRegards, Ada',
    attachments: [
      { type: 'text/plain', name: 'times.txt', body: 'The timetable.' },
      { type: 'image/png', name: 'pier.png', body: Buffer.from('89504e470d0a1a0a', 'hex') },
    ],
  })
  const message = await app.alice.ready('ferry.eml', new Uint8Array(mail), { project: 'mail' })
  const { html, text } = await alice.get(`/documents/${message}`)
  const elements = readHtml(html)
  expect(elements.filter(({ tag }) => tag === 'blockquote').map((quote) => quote.text.trim())).toEqual([
    'When does it leave?I wait at the pier.',
  ])
  expect(text).toMatch(/Not searchable\s*pier\.png/)
  const link = elements.find(({ tag, text: name }) => tag === 'a' && name === 'times.txt')
  const attachment = await alice.get(link!.attributes['href']!)
  expect(attachment.text).toContain('The timetable.')
  const back = readHtml(attachment.html).find(({ tag, text: name }) => tag === 'a' && name === 'The ferry')
  expect(back?.attributes['href']).toBe(`/documents/${message}?page=1`)
  // The view of the message loads nothing that the message names.
  expect(html).not.toMatch(/<(?:script|iframe|img)[^>]*\ssrc="(?!\/)/)
})

test('shows tables as tables and code as code, and marks a passage that begins in a table', async () => {
  const text = [
    '# Costs of the lighthouse',
    '| Month | Rent | Oil |\n| --- | --- | --- |\n| January | 1,200 | |\n| February | 1,250 | 80 |',
    '```js\nconst rent = 1200\n  + oil\n```',
    'Nothing else costs anything.',
  ].join('\n\n')
  const table = await app.alice.ready('costs.md', text, { project: 'tables' })
  const page = await alice.get(`${await linkTo('costs february rent oil')}&q=february`)
  const elements = readHtml(page.html)
  const textsOf = (name: string) => elements.filter(({ tag }) => tag === name).map(({ text: inner }) => inner)
  expect(textsOf('th')).toEqual(['Month', 'Rent', 'Oil'])
  expect(textsOf('td')).toEqual(['January', '1,200', '', 'February', '1,250', '80'])
  expect(textsOf('pre')).toEqual(['const rent = 1200\n  + oil'])
  expect(passageOf(page.html)).toContain('February')
  expect(page.html).toContain('<mark>February</mark>')
  expect(elements.filter(({ attributes }) => attributes['id'] === 'passage')).toHaveLength(1)

  const { body } = await app.alice.get<string>(`/api/v1/documents/${table}/text`)
  const [charStart, charEnd] = [body.indexOf('January'), body.indexOf('80')]
  const passage = { documentId: table, page: 1, charStart, charEnd, text: body.slice(charStart, charEnd) }
  const inTable = await alice.get(passageAddress(passage).replace(/#.*/, ''))
  const anchors = readHtml(inTable.html).filter(({ attributes }) => attributes['id'] === 'passage')
  expect(anchors.map(({ tag }) => tag)).toEqual(['tr'])
})

test('names the language of a page that is not in English', async () => {
  const german = 'Der Mieter kann mit einer Frist von drei Monaten kündigen, und die Kaution wird erstattet.'
  const both = await app.alice.ready('mietvertrag.txt', `${german}\fThe tenant may give notice to the landlord.`, {
    project: 'texts',
  })
  const languagesOf = (html: string, name: string) =>
    readHtml(html).flatMap(({ tag, attributes }) => (attributes['class'] === name ? [[tag, attributes['lang']]] : []))
  expect(languagesOf((await alice.get(`/documents/${both}`)).html, 'sheet')).toEqual([
    ['section', 'de'],
    ['section', undefined],
  ])
  expect(languagesOf((await alice.get('/?q=Mieter+Kaution&project=texts')).html, 'excerpt')[0]).toEqual(['p', 'de'])
})

test('opens the page when the text has changed, and the top when the page is gone', async () => {
  const link = await linkTo('notice months')
  const changed = await alice.get(link.replace(/[0-9a-f]{8}$/, '00000000'))
  expect([changed.status, passageOf(changed.html)]).toEqual([200, []])
  expect(changed.text).toMatch(/has changed since/)
  expect(readHtml(changed.html).find(({ attributes }) => attributes['id'] === 'passage')?.text).toContain('is three months')
  expect((await alice.get(`/documents/${id}?page=77&passage=5-9-0a1b2c3d`)).text).toContain('The lease')
  for (const odd of ['passage=x', 'page=-1', 'page=x&at=y', 'at=999999999', 'passage=9-1-0a1b2c3d', 'page=1&page=2'])
    expect([odd, (await alice.get(`/documents/${id}?${odd}`)).status]).toEqual([odd, 200])
})

test('finds a passage again after its document was cut into passages and indexed again', async () => {
  const link = await linkTo('third working day')
  const before = passageOf((await alice.get(link)).html)
  await app.alice.post(`/api/v1/documents/${id}/reprocess`, {})
  await until('the document is ready', async () => (await app.alice.get(`/api/v1/documents/${id}`)).body['status'] === 'ready')
  expect([before.length > 0, passageOf((await alice.get(link)).html)]).toEqual([true, before])
})

test('shows part of a long text, with links that lead through all of it', async () => {
  const lines = new Set<string>()
  let at: string | undefined = `/documents/${longId}`
  for (let n = 0; at !== undefined && n < 20; n++) {
    const { html, text }: { html: string; text: string } = await alice.get(at)
    expect(html.length).toBeLessThan(200_000)
    for (const [line] of text.matchAll(/Line \d+ of/g)) lines.add(line)
    at = readHtml(html).find(({ attributes }) => attributes['rel'] === 'next')?.attributes['href']
  }
  expect(lines.size).toBe(3000)
  const deep = await alice.get(await linkTo('"Line 2500 of a long text"'))
  expect(passageOf(deep.html).join('\n')).toContain('Line 2500 of a long text.')
  expect(deep.text).not.toContain('Line 10 of')
})

test('says why a document could not be read and what to do', async () => {
  const { body } = await app.alice.upload([{ name: 'broken.pdf', content: '%PDF-1.4\nnothing' }], {}, { Prefer: 'wait=60' })
  const page = await alice.get(`/documents/${body.documents[0]!.id}`)
  expect(page.text).toContain('This document cannot be searched')
  expect(page.text).toContain(body.documents[0]!.error!.message)
  expect(page.text).toContain('docsearch documents retry')
  expect(readHtml(page.html).find(({ tag }) => tag === 'main')?.attributes['class']).toBe('document')
})

test('a button reads a failed document again and returns to it, for writers only', async () => {
  const { body } = await app.alice.upload(
    [{ name: 'half.pdf', content: '%PDF-1.4\nhalf' }],
    { project: 'Shared' },
    { Prefer: 'wait=60' },
  )
  const failed = body.documents[0]!.id
  await app.alice.call('PUT', '/api/v1/projects/Shared/members/bob@example.org', { json: { role: 'reader' } })
  const changedAt = async () => (await app.alice.get(`/api/v1/documents/${failed}`)).body['updated_at']
  const before = await changedAt()
  const bob = await loggedIn(app, 'bob@example.org')
  const seen = await bob.get(`/documents/${failed}`)
  expect([seen.status, seen.forms.map(({ action }) => action)]).toEqual([200, expect.not.arrayContaining(['/documents/batch'])])
  const answer = await alice.submit(await alice.get(`/documents/${failed}`), '/documents/batch')
  expect(answer.location).toBe(`/documents/${failed}`)
  expect((await alice.follow(answer)).text).toContain('docsearch reads the document again.')
  await until('the document has changed', async () => (await changedAt()) !== before)
})

test('a PDF opens in the viewer of the browser, and no page may frame it', async () => {
  const content = new Uint8Array(await makePdf([[{ text: 'The heron stands in the reeds.' }]]))
  const { body } = await app.alice.upload([{ name: 'lease "報".pdf', content }], {}, { Prefer: 'wait=60' })
  const path = `/documents/${body.documents[0]!.id}`
  const original = await alice.get(`${path}/original`)
  expect(
    Object.fromEntries(
      ['content-type', 'x-content-type-options', 'x-frame-options', 'content-security-policy', 'cache-control'].map((name) => [
        name,
        original.headers.get(name),
      ]),
    ),
  ).toEqual({
    'content-type': 'application/pdf',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'private, no-cache',
  })
  expect(original.headers.get('content-disposition')).toBe(
    `inline; filename="lease \\"?\\".pdf"; filename*=UTF-8''lease%20%22%E5%A0%B1%22.pdf`,
  )
  expect((await alice.get(`${path}/original?download=1`)).headers.get('content-disposition')).toMatch(/^attachment;/)
  const part = await alice.get(`${path}/original`, { Range: 'bytes=0-3' })
  expect([part.status, part.html]).toEqual([206, '%PDF'])
  for (const one of [path, `/documents/${id}`])
    expect((await alice.get(one)).headers.get('content-security-policy')).not.toContain('frame-src')
})

test.each([
  ['page.html', '<!doctype html><title>x</title><script>alert(1)</script><p>A page of words.</p>', 'text/html', 'attachment'],
  ['notes.md', '# Notes\n\n<script>alert(1)</script> words\n', 'text/plain; charset=utf-8', 'inline'],
  ['notes.txt', 'Grüße, <script>alert(1)</script>', 'text/plain; charset=utf-8', 'inline'],
])('the original %s cannot run scripts', async (name, text, type, disposition) => {
  const path = `/documents/${await app.alice.ready(name, text)}/original`
  const { headers, html } = await alice.get(path)
  expect([headers.get('content-type')?.toLowerCase(), headers.get('content-disposition')]).toEqual([
    type,
    `${disposition}; filename="${name}"`,
  ])
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'")
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(html).toBe(text)
})

test('an API credential opens no page, and a session opens no API endpoint', async () => {
  const path = `/documents/${id}`
  const headers = { Authorization: `Bearer ${app.alice.key}` }
  expect((await fetch(`${app.url}${path}`, { headers, redirect: 'manual' })).status).toBe(303)
  expect((await alice.get(`/api/v1${path}`)).status).toBe(401)
})
