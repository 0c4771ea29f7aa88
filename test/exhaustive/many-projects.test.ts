import { afterEach, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { createBuiltinReranker } from '../../src/rerank/reranker.ts'
import type { ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { until } from '../support/until.ts'

const PROJECTS = 200

let app: TestApp | undefined
afterEach(() => app?.close())

const nameOf = (n: number) => `note-${n}.txt`
const textOf = (n: number) => `Note ${n}: the ${n % 7 === 0 ? 'harbour' : 'garden'} is closed on day ${n}.`

const NUMBERS = Array.from({ length: PROJECTS }, (_, n) => n)

test('a search over many projects gives the answer of a search over one, and deleting their user leaves nothing', async () => {
  app = await startTestApp({ reranker: createBuiltinReranker() })
  const { alice, bob } = app
  for (let at = 0; at < PROJECTS; at += 20) {
    const files = NUMBERS.slice(at, at + 20).map((n) => ({ name: nameOf(n), content: textOf(n) }))
    expect((await alice.upload(files, { project: 'all' }, { Prefer: 'wait=60' })).status).toBe(200)
  }
  for (let at = 0; at < PROJECTS; at += 20)
    await Promise.all(NUMBERS.slice(at, at + 20).map((n) => bob.ready(nameOf(n), textOf(n), { project: `project-${n}` })))
  const ask = async (client: ApiClient, query: string) => {
    const { status, body } = await client.post<SearchAnswer>('/api/v1/search', {
      query,
      limit: 20,
      explain: true,
      facets: ['year'],
    })
    expect(status).toBe(200)
    const shown = body.results.map(({ score, document, text, explain }) => ({ score, name: document.name, text, explain }))
    return { shown, facets: body.facets }
  }
  for (const query of ['harbour closed', 'note 77', 'closed garden -77']) {
    const many = await ask(bob, query)
    expect(many.shown.length, query).toBeGreaterThan(5)
    expect(many).toEqual(await ask(alice, query))
  }
  const { status } = await alice.call('DELETE', '/api/v1/users/bob@example.org')
  expect(status).toBe(200)
  const { index } = app.backend.lifecycle.active()!
  await until('the index has only the documents of the other user', async () => (await index.inventory()).size === PROJECTS)
  expect(index.segments().map(({ segments }) => segments.length > 0)).toEqual([true])
  expect((await ask(alice, 'harbour closed')).shown.length).toBeGreaterThan(5)
})
