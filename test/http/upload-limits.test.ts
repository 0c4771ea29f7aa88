import { connect } from 'node:net'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { DocumentList, UploadAnswer } from '../../src/contract/documents.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp

beforeAll(async () => {
  app = await startTestApp({ limits: { fileBytes: 1000, requestFiles: 3, requestBytes: 10_000 } })
})
afterAll(() => app?.close())
// No refused upload may leave a file or a document.
afterEach(async () => {
  expect(await app.received()).toEqual([])
  const { body } = await app.alice.get<DocumentList>('/api/v1/documents')
  expect(body.documents.map(({ name }) => name)).toEqual([])
})

const files = (count: number, size: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `${i}.txt`, content: 'x'.repeat(size) }))
const boundary = 'boundary'
const type = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }
const part = (disposition: string, content = 'a') =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const form = (...parts: string[]) => `${parts.join('')}--${boundary}--\r\n`
const send = (body: string) =>
  app.alice.call<UploadAnswer & { code: string; detail: string; errors?: { path: string }[] }>('POST', '/api/v1/upload', {
    body,
    headers: type,
  })

test('refuses a file over the limit, with the limit and the size', async () => {
  const { status, body } = await app.alice.upload(files(1, 1001))
  expect([status, body.rejected]).toEqual([
    413,
    [{ name: '0.txt', code: errorCode('too_large'), message: expect.stringMatching(/1001.*1000/) }],
  ])
})

test('refuses a raw body over the file limit, with and without Content-Length', async () => {
  const known = await app.alice.call('POST', '/api/v1/upload?name=a.txt', { body: 'x'.repeat(1001) })
  expect([known.status, known.body]).toEqual([413, expect.objectContaining({ code: errorCode('too_large'), limit: 1000 })])
  const answer = await raw(
    `POST /api/v1/upload?name=a.txt HTTP/1.1\r\nTransfer-Encoding: chunked\r\n`,
    `5dc\r\n${'x'.repeat(1500)}\r\n0\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
})

test('refuses all of a request over its limit', async () => {
  const { status, body } = await app.alice.upload([...files(3, 900), { name: 'more.txt', content: 'y'.repeat(9000) }])
  expect([status, body]).toEqual([413, expect.objectContaining({ code: errorCode('body_too_large'), limit: 10_000 })])
})

test('refuses all of a request with too many files', async () => {
  const { status, body } = await app.alice.upload(files(4, 10))
  expect([status, body]).toEqual([413, expect.objectContaining({ code: errorCode('too_many_files'), limit: 3 })])
})

test('stops reading a request with 3,000 parts, whether files or fields', async () => {
  const roomy = await startTestApp()
  try {
    for (const disposition of ['name="file"; filename="a.txt"', 'name="x"']) {
      const body = form(...Array.from({ length: 3000 }, () => part(disposition)))
      const answer = await roomy.alice.call<{ code: string; detail: string }>('POST', '/api/v1/upload', { body, headers: type })
      const isFile = disposition.includes('filename')
      expect([answer.status, answer.body.code]).toEqual([413, isFile ? errorCode('too_many_files') : errorCode('too_many_parts')])
      expect(answer.body.detail).toMatch(isFile ? /21 files or more; the limit is 20/ : /53 parts or more; the limit is 52/)
      expect(await roomy.received()).toEqual([])
    }
  } finally {
    await roomy.close()
  }
})

test.each([
  [
    'a field that is too long',
    form(part('name="file"; filename="a.txt"'), part('name="tags"', 'x'.repeat(9000))),
    400,
    errorCode('invalid_request'),
  ],
  [
    'headers without an end',
    form(`--${boundary}\r\nX: ${'x'.repeat(9000)}\r\nY: ${'y'.repeat(900)}\r\n`),
    400,
    errorCode('invalid_multipart'),
  ],
  ['no part at all', form(), 400, errorCode('invalid_request')],
  ['no end', part('name="file"; filename="a.txt"'), 400, errorCode('invalid_multipart')],
  ['no multipart', 'just a text', 400, errorCode('invalid_multipart')],
  ['a file without a name in its part', form(part('name="file"')), 400, errorCode('invalid_request')],
  ['a file in another field', form(part('name="upload"; filename="a.txt"')), 400, errorCode('invalid_request')],
  [
    'unknown fields, each named',
    form(part('name="file"; filename="a.txt"'), part('name="projct"'), part('name="__proto__"')),
    400,
    errorCode('invalid_request'),
  ],
  [
    'a field twice',
    form(part('name="file"; filename="a.txt"'), part('name="project"'), part('name="project"')),
    400,
    errorCode('invalid_request'),
  ],
  [
    'an unknown on_conflict',
    form(part('name="file"; filename="a.txt"'), part('name="on_conflict"', 'merge')),
    400,
    errorCode('invalid_request'),
  ],
  [
    'paths that do not match the files',
    form(part('name="file"; filename="a.txt"'), part('name="path"', 'a'), part('name="path"', 'b')),
    400,
    errorCode('invalid_request'),
  ],
  [
    'control characters in a path',
    form(part('name="file"; filename="a.txt"'), part('name="path"', 'a\u0000b')),
    400,
    errorCode('invalid_request'),
  ],
] as const)('refuses %s', async (_what, body, status, code) => {
  const answer = await send(body)
  expect([answer.status, answer.body.code]).toEqual([status, errorCode(code)])
  expect(({} as Record<string, unknown>)['polluted'] ?? Object.keys(Object.prototype)).toEqual([])
})

test('names every unknown field', async () => {
  const { body } = await send(
    form(part('name="file"; filename="a.txt"'), part('name="projct"'), part('name="__proto__"'), part('name="tags"', 'a\u0007')),
  )
  expect(body.errors?.map(({ path }) => path).toSorted()).toEqual(['__proto__', 'projct', 'tags'])
})

test.each([
  ['another multipart', { 'Content-Type': 'multipart/mixed; boundary=x' }, 415, errorCode('unsupported_media_type')],
  ['a compressed body', { ...type, 'Content-Encoding': 'gzip' }, 415, errorCode('unsupported_media_type')],
  ['no boundary', { 'Content-Type': 'multipart/form-data' }, 400, errorCode('invalid_multipart')],
  ['a raw body without a name', { 'Content-Type': 'text/plain' }, 400, errorCode('invalid_request')],
] as const)('refuses %s', async (_what, headers, status, code) => {
  const answer = await app.alice.call<{ code: string }>('POST', '/api/v1/upload', { body: 'x', headers })
  expect([answer.status, answer.body.code]).toEqual([status, errorCode(code)])
})

test('leaves nothing of a body that is cut off', async () => {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  socket.on('error', () => {
    // The server may close first. What matters is what it leaves on its disk.
  })
  socket.write(
    `POST /api/v1/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${app.alice.key}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: 5000\r\n\r\n`,
  )
  socket.write(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="cut.txt"\r\n\r\n${'half '.repeat(100)}`)
  await until('the first half on the disk', async () => (await app.received()).length === 1)
  socket.destroy()
  await until('it is gone again', async () => (await app.received()).length === 0)
})

/** Sends a request over its own socket. Returns the whole answer as text. */
async function raw(head: string, body: string): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
  socket.write(`${head}Host: localhost\r\nConnection: close\r\nAuthorization: Bearer ${app.alice.key}\r\n\r\n${body}`)
  await once(socket, 'close')
  return answer
}
