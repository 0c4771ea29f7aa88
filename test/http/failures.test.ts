import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DocsearchError } from '../../src/core/errors.ts'
import type { Logger } from '../../src/core/logger.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { errorCode } from '../support/codes.ts'

const lines: { level: string; fields: Record<string, unknown>; message: string | undefined }[] = []
const log: Logger = Object.fromEntries([
  ...['debug', 'info', 'warn', 'error'].map((level) => [
    level,
    (fields: Record<string, unknown>, message?: string) => lines.push({ level, fields, message }),
  ]),
  ['child', () => log],
])

let app: TestApp
let failure: Error
beforeAll(async () => {
  app = await startTestApp({
    log,
    change: () => ({
      search: {
        search: async () => {
          throw failure
        },
      },
    }),
  })
})
afterAll(() => app?.close())
beforeEach(() => lines.splice(0))

test.each([
  ['an unexpected error', new Error('secret path /var/lib/x'), 500, errorCode('internal_error')],
  ['an internal error', new DocsearchError('index_failed', 'secret table t at /var/lib/x'), 500, errorCode('internal_error')],
  ['a busy database', new DocsearchError('database_busy', 'secret pid 7', { retryAfter: 7 }), 503, 'unavailable'],
  [
    'an error caused by a full disk',
    new DocsearchError('index_failed', 'secret', { cause: Object.assign(new Error('x'), { code: 'ENOSPC' }) }),
    507,
    errorCode('disk_full'),
  ],
  ['a full disk', Object.assign(new Error('secret'), { code: 'ENOSPC' }), 507, errorCode('disk_full')],
] as const)('the answer to %s has no internal details, and the log has the error', async (_what, error, status, code) => {
  failure = error
  const answer = await app.alice.post('/api/v1/search', { query: 'a' })
  expect([answer.status, answer.body]).toEqual([status, expect.objectContaining({ code: errorCode(code) })])
  expect(JSON.stringify(answer.body)).not.toMatch(/secret|\/var/)
  if (error instanceof DocsearchError && error.retryAfter !== undefined) expect(answer.headers.get('retry-after')).toBe('7')
  expect(lines.find(({ message }) => message === 'request failed')?.fields).toMatchObject({
    err: error,
    request_id: answer.headers.get('x-request-id'),
  })
})

test('the log has one line per request, without credentials, query or text', async () => {
  failure = new DocsearchError('project_not_found', 'no')
  await app.alice.post('/api/v1/search', { query: 'a very private question' })
  await app.alice.get('/api/v1/documents/doc_private?page=1')
  await app.stranger.get(`/api/v1/me?access_token=${app.alice.key}`)
  const requests = () => lines.filter(({ message }) => message === 'request')
  await until('three lines', async () => requests().length === 3)
  expect(requests().map(({ fields }) => [fields['method'], fields['route'], fields['status'], typeof fields['user_id']])).toEqual(
    [
      ['POST', '/api/v1/search', 404, 'string'],
      ['GET', '/api/v1/documents/{id}', 400, 'string'],
      ['GET', '/api/v1/me', 401, 'object'],
    ],
  )
  expect(requests()[0]?.fields).toMatchObject({
    ms: expect.any(Number),
    bytes: expect.any(Number),
    request_id: expect.stringMatching(/^req_/),
  })
  expect(JSON.stringify(lines)).not.toMatch(/private|dsk_/)
})
