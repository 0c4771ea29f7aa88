import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { createSharedIndexStore } from '../../src/index/shared-index-store.ts'
import { openS3 } from '../../src/objects/s3/open.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { BUCKET, startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { until } from '../support/until.ts'
import { createWriterLeases } from '../support/writer-leases.ts'

let server: TestStore
beforeAll(async () => {
  // Both instances have their records in a data folder, also with `npm run test:shared`.
  vi.stubEnv('DOCSEARCH_TEST_SHARED', undefined)
  server = VERSITYGW === null ? await startS3rver({ addsConditions: true }) : await startVersitygw()
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server[Symbol.asyncDispose]()
})

/** Starts an instance with its index in an object store. */
async function startShared(): Promise<TestApp> {
  const address = `s3://${BUCKET}/${randomBytes(6).toString('hex')}`
  const objects = await openS3({ address, log: silentLogger })
  const store = createSharedIndexStore({
    address,
    objects,
    cacheFolder: await tempFolder(),
    cacheBytes: 1e9,
    leases: createWriterLeases().next(),
    newestVersion: null,
    onCommit: async () => {},
    log: silentLogger,
  })
  const app = await startTestApp({ indexStore: store })
  onTestFinished(async () => {
    await app.close()
    await store.close()
    objects.close()
  })
  return app
}

const SUBJECTS = ['refunds', 'roses', 'harbours', 'lanterns', 'invoices', 'bridges']
const VERBS = ['are paid', 'want sun', 'close in winter', 'burn all night', 'are due', 'carry trains']

function textOf(i: number): string {
  const paragraphs = Array.from({ length: 6 }, (_, n) => {
    const [subject, verb] = [SUBJECTS[(i + n) % 6]!, VERBS[(i * (n + 1)) % 6]!]
    return `# Part ${n}\n\nIn year ${2000 + i}, ${subject} ${verb}. Nobody in town ${i % 3} doubts that ${subject} matter. `.repeat(
      1 + (i % 4),
    )
  })
  return paragraphs.join('\n\n')
}

const REQUESTS: SearchRequest[] = [
  { query: 'when are refunds paid', limit: 20 },
  { query: 'roses in the sun', limit: 20, mode: 'keyword' },
  { query: 'ships in cold months', limit: 20, mode: 'vector' },
  { query: '"burn all night" lanterns', limit: 20 },
  { query: 'brigdes 2007', limit: 20, group_by: 'document' },
  { query: 'invoices', limit: 5, offset: 5, facets: ['media_type'] },
]

/** What a user sees of an answer, without the IDs that each instance chooses. */
const shown = ({ results, mode, mode_reason, corrected_query, facets }: SearchAnswer) => ({
  mode,
  mode_reason,
  corrected_query,
  facets,
  results: results.map(({ rank, score, text, highlights, document, chunk }) => [
    rank,
    score,
    document.name,
    chunk.index,
    text,
    highlights,
  ]),
})

test('an instance answers the same with its index in an object store, and says when the store does not answer', async () => {
  const [local, shared] = [await startTestApp(), await startShared()]
  onTestFinished(() => local.close())
  for (const { alice } of [local, shared]) {
    for (let i = 0; i < 12; i++) await alice.ready(`file ${i}.md`, textOf(i))
    await alice.ready('file 3.md', textOf(30))
  }
  const answer = async ({ alice }: TestApp, request: SearchRequest) =>
    (await alice.post<SearchAnswer>('/api/v1/search', request)).body
  for (const request of REQUESTS) {
    const expected = shown(await answer(local, request))
    expect(expected.results.length).toBeGreaterThan(0)
    expect(shown(await answer(shared, request)), JSON.stringify(request)).toEqual(expected)
  }
  const before = shown(await answer(shared, REQUESTS[0]!))
  server.proxy.fault = () => 'fail'
  // The texts are still in memory.
  const behind = shown(await answer(shared, REQUESTS[0]!))
  expect(behind).toEqual({ ...before, mode_reason: expect.stringContaining('The object store did not answer in time.') })
  server.proxy.fault = () => 'pass'
  await until('the store answers', async () => (await answer(shared, REQUESTS[0]!)).mode_reason === null)
})
