import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { Health } from '../../src/contract/account.ts'
import type { ModelList } from '../../src/contract/models.ts'
import { ENDPOINTS } from '../support/api-table.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { isOnServers } from '../support/on-servers.ts'
import { startFakeOllama } from '../support/fake-ollama.ts'
import { EMBEDDINGGEMMA } from '../support/fake-ollama-model.ts'
import { testClock } from '../support/test-clock.ts'
import { until } from '../support/until.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

let app: TestApp
afterEach(() => app?.close())

/** What a member has, by the prefix of the path that takes its ID. */
type Ids = Record<string, string>

/** Returns everything that a member can read, without what changes with every answer. */
async function readEverything(bob: TestApp['bob'], browser: WebClient, ids: Ids): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {}
  for (const row of Object.keys(ENDPOINTS)) {
    const [method = '', pattern = ''] = row.split(' ')
    if (method !== 'GET' || pattern.endsWith('/events') || pattern.startsWith('/api/docs')) continue
    const path = pattern.replace('{id}', ids[pattern.split('{')[0]!] ?? 'none')
    const { status, body } = pattern.startsWith('/api/') ? await bob.get(path) : await pageOf(browser, path)
    seen[row] = [status, withoutChance(JSON.stringify(body))]
  }
  // How common a word is in the whole index decides its weight, so the shares of two words can change.
  const queries = ['honey', 'bees -wax', '"bees make"', 'hony']
  for (const query of queries) {
    for (const mode of ['hybrid', 'keyword', 'vector']) {
      const { status, body } = await bob.post('/api/v1/search', { query, mode, explain: true, limit: 100 })
      expect(status).toBe(200)
      seen[`search ${mode} ${query}`] = [status, withoutChance(JSON.stringify(body))]
    }
  }
  return seen
}

async function pageOf(browser: WebClient, path: string) {
  const { status, html } = await browser.get(path)
  return { status, body: html }
}

function withoutChance(text: string): string {
  return text
    .replaceAll(/req_[0-9a-z]{26}/g, 'req')
    .replaceAll(/"took_ms":[\d.]+/g, '"took_ms":0')
    .replaceAll(/name=\\"csrf\\" value=\\"[^"]*\\"/g, 'csrf')
}

test("nothing that a member can read depends on other users' documents", async () => {
  app = await startTestApp({ clock: testClock() })
  const { alice, bob } = app
  const browser = await loggedIn(app, 'bob@example.org')
  const document = await bob.ready('bees.txt', 'Bees make honey and wax. Honey is sweet.')
  await bob.ready('more.txt', 'Bees live in a hive. The hive is full of bees.')
  const project = (await bob.get<{ projects: { id: string }[] }>('/api/v1/projects')).body.projects[0]!.id
  const client = await bob.post<{ client_id: string }>('/api/v1/clients', {
    name: 'Notes',
    redirect_uris: ['https://a.example/'],
  })
  const ids: Ids = {
    '/api/v1/documents/': document,
    '/documents/': document,
    '/api/v1/projects/': project,
    '/api/v1/clients/': client.body.client_id,
    '/settings/clients/': client.body.client_id,
    '/assets/': 'page.css',
  }
  // Optimising moves passages into the index of words, which counts them.
  const optimise = async () => {
    // On servers, only the worker may optimise the index.
    if (!isOnServers) await app.backend.lifecycle.active()!.index.optimize()
  }
  await optimise()
  const before = await readEverything(bob, browser, ids)
  for (let i = 0; i < 50; i++) {
    await alice.upload([{ name: `${i}.txt`, content: `Document ${i} says that honey number ${i} is made by bees and wax.` }])
  }
  await alice.ready('last.txt', 'The last document about bees and honey.')
  await alice.upload([{ name: 'broken.pdf', content: '%PDF-1.7 broken' }])
  await until('all documents to be counted', async () => {
    const whole = (await alice.get<Health>('/api/v1/health')).body.checks
    return Number(whole?.index['chunks']) > 50
  })
  await optimise()
  expect(await readEverything(bob, browser, ids)).toEqual(before)
})

test('the progress of a new index counts the documents of a member only', async () => {
  const ollama = await startFakeOllama([EMBEDDINGGEMMA])
  onTestFinished(() => ollama.close())
  app = await startTestApp({ ollamaUrl: ollama.url })
  const { alice, bob } = app
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await alice.ready(name, `Text of ${name}.`)
  await bob.ready('d.txt', 'Text of Bob.')
  const held = ollama.hold('/api/embed', ({ input }) => JSON.stringify(input).includes('Text of'))
  await alice.post('/api/v1/models/use', { model: 'embeddinggemma' })
  await held.arrived
  const progressOf = async (client: TestApp['bob']) => {
    const { models } = (await client.get<ModelList>('/api/v1/models')).body
    const index = (await client.get<Health>('/api/v1/health')).body.checks?.index
    const states = models.flatMap(({ indexes }) => indexes)
    return {
      chunks: states.map(({ chunks }) => chunks),
      total: states.map(({ documents_total }) => documents_total),
      passages: states.map(({ passages_total }) => passages_total),
      speeds: states.flatMap(({ tokens_per_second, seconds_left }) => [tokens_per_second, seconds_left]),
      sizes: states.every(({ size_bytes }) => size_bytes !== null),
      health: index?.['building'],
      message: index?.message,
    }
  }
  const building = { model: 'ollama:embeddinggemma', documents_done: 0 }
  expect(await progressOf(bob)).toEqual({
    chunks: [1, 0],
    total: [null, 1],
    passages: [null, 1],
    speeds: [null, null, null, null],
    sizes: false,
    health: { ...building, documents_total: 1 },
    message: '1 passage; building an index with ollama:embeddinggemma (0 of 1 document done)',
  })
  expect(await progressOf(alice)).toMatchObject({ chunks: [4, 0], total: [null, 4], sizes: true, health: { documents_total: 4 } })
  held.release()
})
