import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '../../src/serve/logging.ts'
import { startTestApp, type TestApp } from '../support/app.ts'

let app: TestApp
let log = ''
beforeAll(async () => {
  app = await startTestApp({ slowSearchMs: 0.001, log: createLogger('info', { write: (line) => (log += line) }) })
  await app.alice.ready('kumquat.txt', 'Kumquat jam keeps for a year.', { tags: 'pantry' })
})
afterAll(() => app?.close())

test('a slow search is a line with its stages and its shape, and without its words', async () => {
  await app.alice.post('/api/v1/search', {
    query: 'kumquats "kumquat jam" -marmalade tag:pantry',
    limit: 3,
    filter: { tags: ['pantry'] },
  })
  const line = log.split('\n').find((one) => one.includes('slow search'))!
  expect(JSON.parse(line)).toMatchObject({
    level: 'warn',
    mode: 'hybrid',
    ms: expect.any(Number),
    stages: { spelling: expect.any(Number), phrases: expect.any(Number), find: expect.any(Number), read: expect.any(Number) },
    words: 3,
    phrases: 1,
    excluded: 1,
    filters: ['tags', 'phrases', 'withoutPhrases', 'operatorTags'],
    projects: 1,
    limit: 3,
    results: 1,
    group_by: 'chunk',
    degraded: [],
  })
  expect(log.toLowerCase()).not.toMatch(/kumquat|marmalade|pantry/)
})

test.each([
  ['takes less than slow_search_ms', 60_000],
  ['is made while slow_search_ms is 0', 0],
])('a search that %s is not logged', async (_when, slowSearchMs) => {
  let lines = ''
  const quiet = await startTestApp({ slowSearchMs, log: createLogger('info', { write: (line) => (lines += line) }) })
  try {
    await quiet.alice.ready('fig.txt', 'Figs keep for a week.')
    expect((await quiet.alice.post('/api/v1/search', { query: 'figs' })).status).toBe(200)
    expect(lines).not.toContain('slow search')
  } finally {
    await quiet.close()
  }
})
