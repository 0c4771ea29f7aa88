import { afterEach, expect, test } from 'vitest'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import { createBuiltinReranker } from '../../src/rerank/reranker.ts'
import type { ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'

const open: TestApp[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.close()
})

async function start(): Promise<TestApp> {
  const app = await startTestApp({ reranker: createBuiltinReranker() })
  open.push(app)
  return app
}

const CLAUSE = 'The tenant waters the magnolia every second evening and keeps the key of the harbour office.'

/** Texts with common and rare words, of several lengths, some with the same passage. */
const TEXTS: Record<string, string> = {
  'lease.txt': `Lease\n\nThe rent is due on the third working day of every month.\n\n${CLAUSE}`,
  'harbour.txt': 'Harbour\n\nThe harbour is closed in winter. Boats leave at noon, and the harbour master leaves with them.',
  'pumps.txt': 'Pumps\n\nReplace the water pump AB-1234 every year. The pump of the harbour crane is replaced when it leaks.',
  'copy.txt': CLAUSE,
  'notes.txt': Array.from({ length: 40 }, (_, i) => `Day ${i}: rent of the boat, and a walk to the harbour.`).join('\n\n'),
  'garden.txt': 'Garden\n\nRoses want sun and a little lime in the ground. Water them in the evening.',
}

const ASKED: Omit<SearchRequest, 'explain'>[] = [
  { query: 'rent of the harbour office' },
  { query: 'rent of the harbour office', rerank: false, mode: 'keyword', limit: 3, offset: 2 },
  { query: 'where does the crane get water from', mode: 'vector' },
  { query: 'pump AB-1234', group_by: 'document' },
  { query: 'evening -rent', project: 'Terms' },
  { query: '"harbour is closed" boats' },
  { query: 'harbuor magnoila' },
]

/** Returns the answers with every score, without what differs from one request to the next. */
async function ask(client: ApiClient): Promise<SearchAnswer[]> {
  const answers = []
  for (const request of ASKED) {
    const { status, body } = await client.post<SearchAnswer>('/api/v1/search', { ...request, explain: true })
    expect(status).toBe(200)
    answers.push({ ...body, took_ms: 0, rerank: { ...body.rerank, took_ms: 0 } })
  }
  expect(answers.every(({ results }) => results.length > 0)).toBe(true)
  return answers
}

async function upload(client: ApiClient, names: readonly string[]): Promise<void> {
  await client.post('/api/v1/projects', { name: 'Terms' })
  for (const name of names) await client.ready(name, TEXTS[name]!, name === 'copy.txt' ? { project: 'Terms' } : {})
}

test("another user's uploads, replacements and deletions change no result and no score of a user, bit for bit", async () => {
  const { alice, bob } = await start()
  await upload(alice, Object.keys(TEXTS))
  const before = await ask(alice)
  const ids: string[] = []
  // The same texts, texts with the same words, and words that are rare in Alice's documents.
  for (const [name, text] of Object.entries(TEXTS)) ids.push(await bob.ready(name, text))
  for (let i = 0; i < 8; i++) ids.push(await bob.ready(`${i}.txt`, `${'magnolia crane harbor '.repeat(3 + 40 * i)} ${i}`))
  expect(await ask(alice)).toEqual(before)
  await bob.ready('notes.txt', 'Replaced: magnolia.')
  for (const id of ids.slice(0, 9)) expect((await bob.call('DELETE', `/api/v1/documents/${id}`)).status).toBe(204)
  expect(await ask(alice)).toEqual(before)
})

test("another user's synonyms change no result and no score of a user, bit for bit", async () => {
  const { alice, bob } = await start()
  await upload(alice, Object.keys(TEXTS))
  await upload(bob, Object.keys(TEXTS))
  const before = await ask(alice)
  const synonyms = [
    { words: ['rent', 'magnolia'] },
    { words: ['rent'], expands_to: ['harbour', 'evening'] },
    { words: ['harbuor', 'magnoila'], expands_to: ['roses'] },
  ]
  const his = await ask(bob)
  for (const project of ['default', 'Terms'])
    expect((await bob.call('PUT', `/api/v1/projects/${project}/synonyms`, { json: { synonyms } })).status).toBe(200)
  expect(await ask(bob)).not.toEqual(his)
  expect(await ask(alice)).toEqual(before)
})

test("another project's synonyms of the same user change no result of a search in one project", async () => {
  const { alice } = await start()
  await upload(alice, Object.keys(TEXTS))
  const askOne = async () => {
    const request = { query: 'rent of the magnolia', project: 'Terms', explain: true }
    return (await alice.post<SearchAnswer>('/api/v1/search', request)).body.results
  }
  const before = await askOne()
  await alice.post('/api/v1/projects/default/synonyms', { synonyms: [{ words: ['rent', 'evening'] }] })
  expect(await askOne()).toEqual(before)
  await alice.post('/api/v1/projects/Terms/synonyms', { synonyms: [{ words: ['rent', 'evening'] }] })
  expect(await askOne()).not.toEqual(before)
})

test("another project's documents of the same user change no result of a search in one project", async () => {
  const { alice } = await start()
  await upload(alice, ['copy.txt'])
  const askOne = async () => {
    const request = { query: 'magnolia in the evening', project: 'Terms', correct: false, explain: true }
    const { body } = await alice.post<SearchAnswer>('/api/v1/search', request)
    return body.results
  }
  const before = await askOne()
  expect(before).toHaveLength(1)
  await alice.ready('many.txt', 'magnolia '.repeat(500))
  await alice.ready('other.txt', TEXTS['harbour.txt']!)
  expect(await askOne()).toEqual(before)
})

test('two instances with the same documents answer alike, whatever the order of the uploads', async () => {
  const names = Object.keys(TEXTS)
  const answers = []
  for (const order of [names, names.toReversed()]) {
    const { alice } = await start()
    await upload(alice, order)
    answers.push((await ask(alice)).map(withoutIds))
  }
  expect(answers[1]).toEqual(answers[0])
})

/** Replaces the IDs of documents, which differ between instances, by names. */
function withoutIds(answer: SearchAnswer) {
  return {
    ...answer,
    results: answer.results.map(({ document, chunk, url: _url, also_in, ...result }) => ({
      ...result,
      document: { ...document, id: document.name, project: document.project.name },
      chunk: { ...chunk, id: chunk.index },
      also_in: also_in.map((other) => ({ ...other, id: other.name })),
    })),
  }
}
