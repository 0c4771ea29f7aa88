import { readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { makePdf } from '../support/make-documents.ts'
import { readHtml } from '../support/read-html.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

let app: TestApp
let alice: WebClient
let bob: WebClient
let id: string
beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
  bob = await loggedIn(app, 'bob@example.org')
  const text = 'The heron keeps the lantern of the lighthouse, and the otter counts the boats that pass. '.repeat(4)
  const pages = [[{ heading: 'The lighthouse' }, { text }], [], [{ text: 'The end of the lighthouse keeper.' }]]
  id = await upload('lighthouse.pdf', new Uint8Array(await makePdf(pages)))
})
afterAll(() => app?.close())

async function upload(name: string, content: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const { body } = await app.alice.upload([{ name, content }], {}, { Prefer: 'wait=60' })
  return body.documents[0]!.id
}

async function image(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${app.url}${path}`, { headers: { Authorization: `Bearer ${app.alice.key}`, ...headers } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, bytes, width: bytes.length > 24 ? bytes.readUInt32BE(16) : 0 }
}

const pagePath = (n: number | string, query = '', document = id) => `/api/v1/documents/${document}/pages/${n}.png${query}`
const cached = async () => (await readdir(join(app.folder, 'page-images'))).filter((name) => name.endsWith('.png'))

test('shows a page as a PNG of the width that was asked for', async () => {
  const { status, headers, bytes, width } = await image(pagePath(1))
  expect([status, headers.get('content-type'), width]).toEqual([200, 'image/png', 1000])
  expect(headers.get('cache-control')).toMatch(/^private/)
  expect(bytes.readUInt32BE(20) / width).toBeCloseTo(842 / 595, 2)
  for (const w of [200, 2000]) expect((await image(pagePath(1, `?w=${w}`))).width).toBe(w)
  // A page without text is white.
  const rows = inflateSync(idat((await image(pagePath(2, '?w=200'))).bytes))
  expect(rows.filter((byte) => byte !== 0xff && byte !== 0)).toHaveLength(0)
})

test.each(['199', '2001', '1e3.5', 'x', '', '-5'])('refuses the width %j', async (w) => {
  expect((await image(pagePath(1, `?w=${w}`))).status).toBe(400)
})

test.each(['0', '4', '999999999', '9999999999999', '01', '-1', 'x'])('has no page %s', async (n) => {
  expect(await app.alice.get(pagePath(n))).toMatchObject({ status: 404, body: { code: errorCode('page_not_found') } })
})

test('says that only PDFs have images of pages', async () => {
  const text = await upload('notes.txt', 'Some notes.')
  const { status, body } = await app.alice.get<{ code: string; detail: string }>(pagePath(1, '', text))
  expect([status, body.code]).toEqual([404, errorCode('no_page_images')])
  expect(body.detail).toMatch(/Only PDFs and pictures/)
})

test('an unchanged image is 304, and another width or page is another image', async () => {
  const etag = (await image(pagePath(1))).headers.get('etag')!
  expect((await image(pagePath(1), { 'If-None-Match': etag })).status).toBe(304)
  expect((await image(pagePath(1, '?w=300'), { 'If-None-Match': etag })).status).toBe(200)
  expect((await image(pagePath(3), { 'If-None-Match': etag })).status).toBe(200)
})

test('nobody sees an image without the document, also with its ETag', async () => {
  const etag = (await image(pagePath(1))).headers.get('etag')!
  const refused = { status: 404, body: { code: errorCode('document_not_found') } }
  expect(await app.bob.get(pagePath(1))).toMatchObject(refused)
  expect(await app.bob.get(pagePath(1), { 'If-None-Match': etag })).toMatchObject(refused)
  expect((await bob.get(`/documents/${id}/pages/1.png`, { 'If-None-Match': etag })).status).toBe(404)
  expect((await alice.get(`/documents/${id}/pages/1.png`)).headers.get('content-type')).toBe('image/png')
  expect((await app.stranger.get(pagePath(1))).status).toBe(401)
})

test('renders a damaged file of the cache again', async () => {
  const before = await image(pagePath(1, '?w=640'))
  const [name] = (await cached()).filter((one) => one.endsWith('-1-640.png'))
  await truncate(join(app.folder, 'page-images', name!), 100)
  expect((await image(pagePath(1, '?w=640'))).bytes.equals(before.bytes)).toBe(true)
})

test('keeps no more images than the cache may hold, and renders the others again', async () => {
  await using small = await startSmall()
  const key = { Authorization: `Bearer ${small.app.alice.key}` }
  for (const w of [200, 210, 220, 230, 200]) {
    const answer = await fetch(`${small.app.url}/api/v1/documents/${small.id}/pages/1.png?w=${w}`, { headers: key })
    expect([w, answer.status]).toEqual([w, 200])
  }
  expect(await readdir(join(small.app.folder, 'page-images'))).toHaveLength(2)
})

async function startSmall() {
  const own = await startTestApp({ pageImageBytes: 9_000 })
  const { body } = await own.alice.upload(
    [{ name: 'a.pdf', content: new Uint8Array(await makePdf([[{ text: 'A.' }]])) }],
    {},
    { Prefer: 'wait=60' },
  )
  return { app: own, id: body.documents[0]!.id, [Symbol.asyncDispose]: () => own.close() }
}

test('the view of a PDF marks the passage and the words of the query on the page', async () => {
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'otter boats' })
  const url = new URL(body.results[0]!.url)
  const { html, headers } = await alice.get(`${url.pathname}${url.search}&q=otter+boats`)
  expect(headers.get('content-security-policy')).not.toContain('unsafe')
  const elements = readHtml(html)
  const picture = elements.find(({ tag }) => tag === 'image')
  expect(picture?.attributes['href']).toBe(`/documents/${id}/pages/1.png?w=1000`)
  const marks = (name: string) => elements.filter(({ tag, attributes }) => tag === 'rect' && attributes['class'] === name)
  // The passage is the heading and a paragraph of several lines, in which both words occur four times.
  expect(marks('mark-passage').length).toBeGreaterThan(3)
  expect(marks('mark-word')).toHaveLength(8)
  for (const { attributes } of marks('mark-passage')) {
    expect(Number(attributes['x'])).toBeGreaterThan(100)
    expect(Number(attributes['x']) + Number(attributes['width'])).toBeLessThan(900)
  }
})

test('links lead to the other pages, and keep search, passage, zoom and tab', async () => {
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'otter boats' })
  const url = new URL(body.results[0]!.url)
  const { html, text } = await alice.get(`${url.pathname}${url.search}&q=otter&w=1400&view=page`)
  expect(text).toContain('of 3')
  const next = readHtml(html).find(({ attributes }) => attributes['rel'] === 'next')!.attributes['href']!
  const query = new URL(next, app.url).searchParams
  expect(Object.fromEntries(query)).toEqual({
    page: '2',
    passage: url.searchParams.get('passage'),
    w: '1400',
    view: 'page',
    q: 'otter',
  })
  const second = readHtml((await alice.get(next)).html)
  expect(second.find(({ tag }) => tag === 'image')?.attributes['href']).toBe(`/documents/${id}/pages/2.png?w=1400`)
  expect(second.filter(({ tag }) => tag === 'rect')).toHaveLength(0)
})

function idat(png: Buffer): Buffer {
  const at = png.indexOf('IDAT')
  return png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4))
}
