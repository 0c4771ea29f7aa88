import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Document } from '../../src/contract/documents.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

const HTML =
  '<!doctype html><html><head><title>A page</title></head><body><script>alert(1)</script><p>Some text of a page.</p></body></html>'
let app: TestApp
let path: string
beforeAll(async () => {
  app = await startTestApp()
  path = `/api/v1/documents/${await app.alice.ready('a "page" 報.html', HTML)}/content`
})
afterAll(() => app?.close())

const content = (headers: Record<string, string>) => app.alice.get<string>(path, headers)

test('returns the whole file as an attachment that browsers do not run', async () => {
  const { status, body, headers } = await content({})
  const { body: document } = await app.alice.get<Document>(path.replace('/content', ''))
  expect([status, body]).toEqual([200, HTML])
  expect(headers.get('content-type')).toBe(document.media_type)
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="a \\"page\\" ?.html"; filename*=UTF-8''a%20%22page%22%20%E5%A0%B1.html`,
  )
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; sandbox/)
  expect(headers.get('content-length')).toBe(String(HTML.length))
  expect(headers.get('etag')).toBe(`"${createHash('sha256').update(HTML).digest('hex')}"`)
})

test.each([
  ['bytes=0-9', 0, 10],
  ['bytes=10-', 10, HTML.length],
  ['bytes=-5', HTML.length - 5, HTML.length],
  ['bytes=5-100000', 5, HTML.length],
])('range %s returns that part with 206', async (range, start, end) => {
  const { status, body, headers } = await content({ Range: range })
  expect([status, body]).toEqual([206, HTML.slice(start, end)])
  expect(headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${HTML.length}`)
  expect(headers.get('content-length')).toBe(String(end - start))
})

test.each(['bytes=100000-', 'bytes=-0'])('range %s beyond the end is 416 with the size', async (range) => {
  const { status, headers, body } = await content({ Range: range })
  expect([status, headers.get('content-range'), body]).toEqual([
    416,
    `bytes */${HTML.length}`,
    expect.objectContaining({ code: errorCode('range_not_satisfiable') }),
  ])
})

test.each(['bytes=0-1,4-5', 'lines=0-1', 'bytes=9-2', 'bytes=x'])(
  'invalid or unsupported range %s returns the whole file',
  async (range) => {
    expect(await content({ Range: range })).toMatchObject({ status: 200, body: HTML })
  },
)

test('an unchanged file is 304, and a range of a changed file returns the whole file', async () => {
  const etag = (await content({})).headers.get('etag')!
  expect(await content({ 'If-None-Match': etag })).toMatchObject({ status: 304, body: '' })
  expect((await content({ 'If-Range': etag, Range: 'bytes=0-1' })).status).toBe(206)
  expect((await content({ 'If-Range': '"other"', Range: 'bytes=0-1' })).status).toBe(200)
})

test('HEAD returns the headers without the body', async () => {
  const { status, headers, body } = await app.alice.call<string>('HEAD', path)
  expect([status, headers.get('content-length'), body]).toEqual([200, String(HTML.length), ''])
  expect(headers.get('content-disposition')).toMatch(/^attachment/)
})
