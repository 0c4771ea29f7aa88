import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UploadAnswer } from '../../src/contract/documents.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'

let app: TestApp

beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

/** Sends exactly these bytes as the value of `filename`, which no HTTP library would do. */
async function sendNamed(written: string): Promise<UploadAnswer & { status: number }> {
  const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="${written}"\r\nContent-Type: text/plain\r\n\r\ntext of ${written.length}\r\n--b--\r\n`
  const answer = await app.alice.call<UploadAnswer>('POST', '/api/v1/upload', {
    body,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
  })
  return { ...answer.body, status: answer.status }
}

test.each([
  ['path parts', '../../etc/passwd', 'passwd'],
  ['a Windows path', 'C:\\files\\report.txt', 'report.txt'],
  ['quotes as browsers send them', 'a %22quoted%22 name.txt', 'a "quoted" name.txt'],
  ['quotes after a backslash', 'say \\"so\\".txt', 'say "so".txt'],
  ['other percent signs as they are', '100%25 %41.txt', '100%25 %41.txt'],
  ['any script', 'Übersicht – 報告 – отчёт – 🗂.txt', 'Übersicht – 報告 – отчёт – 🗂.txt'],
  ['a semicolon', 'a; filename=b.txt', 'a; filename=b.txt'],
  ['1,000 characters', `${'n'.repeat(996)}.txt`, `${'n'.repeat(996)}.txt`],
  ['a name of the prototype', '__proto__', '__proto__'],
])('keeps %s as data, and only the last part of a path', async (_what, written, name) => {
  const { documents } = await sendNamed(written)
  expect(documents.map((document) => document.name)).toEqual([name])
  const download = await app.alice.get<string>(`/api/v1/documents/${documents[0]!.id}/content`)
  expect(download.body).toBe(`text of ${written.length}`)
  expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename/)
})

test.each([
  ['NUL', 'a\u0000b.txt'],
  ['a line end', 'a%0D%0Ab.txt'],
  ['1,001 characters', `${'n'.repeat(997)}.txt`],
  ['nothing but a path', 'folder/'],
  ['two dots', '..'],
])('rejects a name with %s, in an answer without control characters', async (_what, written) => {
  const { status, documents, rejected } = await sendNamed(written)
  expect([status, documents, rejected.map(({ code }) => code)]).toEqual([422, [], [errorCode('invalid_name')]])
  expect(rejected[0]?.name).not.toMatch(/\p{Cc}/u)
  expect(await app.received()).toEqual([])
})

test('ignores an empty file field of a form', async () => {
  const empty =
    '--b\r\nContent-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--b--\r\n'
  const answer = await app.alice.call<{ code: string }>('POST', '/api/v1/upload', {
    body: empty,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
  })
  expect([answer.status, answer.body.code]).toEqual([400, errorCode('invalid_request')])
})
