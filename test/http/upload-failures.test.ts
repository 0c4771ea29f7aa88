import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { UploadAnswer } from '../../src/contract/documents.ts'
import { DocsearchError } from '../../src/core/errors.ts'
import type { Logger } from '../../src/core/logger.ts'
import { projectNotFound } from '../../src/records/errors.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { errorCode } from '../support/codes.ts'
import { until } from '../support/until.ts'

// An instance that fails to store a certain file of an upload.

const logged: unknown[] = []
const log: Logger = {
  debug() {},
  info() {},
  warn() {},
  error: (fields: unknown) => void logged.push((fields as { err?: unknown }).err),
  child: () => log,
}
let app: TestApp
/** The name of the file at which storing fails, and how. */
let failing: { name: string; error: Error }
let tried: string[] = []

beforeAll(async () => {
  app = await startTestApp({
    log,
    change: ({ ingest }) => ({
      ingest: {
        ...ingest,
        async accept(upload) {
          tried.push(upload.name)
          if (upload.name === failing.name) throw failing.error
          return ingest.accept(upload)
        },
      },
    }),
  })
})
afterAll(() => app?.close())
afterEach(async () => {
  tried = []
  logged.length = 0
  expect(await app.received()).toEqual([])
})

const secret = 'secret /var/lib/docsearch'
const FAILURES = [
  ['a full disk', Object.assign(new Error(secret), { code: 'ENOSPC' }), 507, errorCode('disk_full')],
  ['a busy database', new DocsearchError('database_busy', secret, { retryAfter: 7 }), 503, errorCode('unavailable')],
  ['an unexpected error', new Error(secret), 500, errorCode('internal_error')],
  ['a project that is deleted in the meantime', projectNotFound(), 404, errorCode('project_not_found')],
] as const

const namesOf = ({ documents, rejected }: UploadAnswer) => ({
  documents: documents.map(({ name }) => name),
  rejected: rejected.map(({ name, code }) => [name, code]),
})
const send = (kind: string) =>
  app.alice.upload(
    ['first.txt', 'empty.txt', 'second.txt', 'third.txt'].map((name) => ({
      name,
      content: name === 'empty.txt' ? '' : `${name} in case of ${kind}`,
    })),
    { project: kind },
  )

describe.each(FAILURES)('%s', (kind, error, status, code) => {
  test('at the second file: the first is stored, and the answer says so for each file', async () => {
    failing = { name: 'second.txt', error }
    const answer = await send(kind)
    expect([answer.status, namesOf(answer.body)]).toEqual([
      202,
      {
        documents: ['first.txt'],
        rejected: [
          ['empty.txt', errorCode('empty_file')],
          ['second.txt', code],
          ['third.txt', code],
        ],
      },
    ])
    expect(JSON.stringify(answer.body)).not.toContain('secret')
    expect(tried).not.toContain('third.txt')
    expect(logged).toEqual(status >= 500 ? [error] : [])
    const path = `/api/v1/documents/${answer.body.documents[0]!.id}`
    await until('the first file to be ready', async () => (await app.alice.get(path)).body['status'] === 'ready')
  })

  test('at the first file: no file is stored, and the status is that of the failure', async () => {
    failing = { name: 'first.txt', error }
    const answer = await app.alice.upload([
      { name: 'first.txt', content: 'the first' },
      { name: 'other.txt', content: 'the other' },
    ])
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ code, status, documents: [] })
    expect(namesOf(answer.body).rejected).toEqual([
      ['first.txt', code],
      ['other.txt', code],
    ])
    expect(JSON.stringify(answer.body)).not.toContain('secret')
    if (error instanceof DocsearchError && error.retryAfter !== undefined) expect(answer.headers.get('retry-after')).toBe('7')
  })
})
