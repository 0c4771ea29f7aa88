import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Problem } from '../../src/contract/common.ts'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import type { SynonymList, SynonymsSaved, SynonymsSent } from '../../src/contract/synonyms.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import type { ApiClient } from '../support/api-client.ts'
import { errorCode } from '../support/codes.ts'

const PATH = '/api/v1/projects/plants/synonyms'
const OTHER = '/api/v1/projects/cars/synonyms'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ limits: { synonyms: 200 } })
  await app.alice.ready('oak.txt', 'The oak in front of the house is two hundred years old.', { project: 'plants' })
  await app.alice.ready('fern.txt', 'Ferns like shade, and rain in the afternoon.', { project: 'plants' })
  await app.alice.ready('garage.txt', 'The garage has an oak door with a blue handle.', { project: 'cars' })
  await app.bob.ready('bob.txt', 'The oak of Bob is a very small tree.', { project: 'plants' })
})
afterAll(() => app?.close())
beforeEach(async () => {
  for (const path of [PATH, OTHER]) expect((await app.alice.call('PUT', path, { json: { synonyms: [] } })).status).toBe(200)
})

type Rules = SynonymsSent['synonyms']

const add = (synonyms: Rules, path = PATH) => app.alice.post<SynonymsSaved & Problem>(path, { synonyms })
const replace = (synonyms: Rules) => app.alice.call<SynonymsSaved>('PUT', PATH, { json: { synonyms } })
const list = async (path = PATH) => (await app.alice.get<SynonymList>(path)).body.synonyms

/** Returns the names of the documents that keyword search finds, with the expansions that found them. */
async function found(query: string, more: Partial<SearchRequest> = {}, client: ApiClient = app.alice) {
  const request = { query, mode: 'keyword', correct: false, explain: true, ...more }
  const { body } = await client.post<SearchAnswer>('/api/v1/search', request)
  return body.results.map(({ document, explain }) => [document.name, explain!.expansions.map((one) => [one.found, one.source])])
}

describe('the list of a project', () => {
  test('has what was added, with an ID for each rule, a result page at a time', async () => {
    const { status, body } = await add([
      { words: ['tree', ' oak ', 'Oak'] },
      { words: ['bracken'], expands_to: ['fern'] },
      { words: ['shade', 'shadow'], expands_to: null },
    ])
    expect([status, body.removed]).toEqual([200, 0])
    expect(body.synonyms).toMatchObject([
      { id: expect.stringMatching(/^syn_/), words: ['tree', 'oak'], expands_to: null, outcome: 'created' },
      { words: ['bracken'], expands_to: ['fern'], outcome: 'created' },
      { words: ['shade', 'shadow'], outcome: 'created' },
    ])
    const first = (await app.alice.get<SynonymList>(`${PATH}?limit=2`)).body
    const second = (await app.alice.get<SynonymList>(`${PATH}?limit=2&cursor=${first.next_cursor}`)).body
    const listed = [...first.synonyms, ...second.synonyms]
    expect(listed.map((synonym) => ({ ...synonym, outcome: 'created' }))).toEqual(body.synonyms)
    expect(second.next_cursor).toBeNull()
    const again = await add([{ words: ['OAK', 'tree'] }])
    expect(again.body.synonyms).toEqual([{ ...body.synonyms[0], outcome: 'unchanged' }])
  })

  test('can be replaced, and loses single rules by their ID', async () => {
    const [oak] = (await add([{ words: ['tree', 'oak'] }, { words: ['shade', 'shadow'] }])).body.synonyms
    expect((await replace([{ words: ['wood', 'tree'] }, { words: ['tree', 'oak'] }])).body).toMatchObject({
      synonyms: [{ outcome: 'created' }, { id: oak!.id, outcome: 'unchanged' }],
      removed: 1,
    })
    expect((await app.alice.call('DELETE', `${PATH}/${oak!.id}`)).status).toBe(204)
    expect(await list()).toMatchObject([{ words: ['wood', 'tree'] }])
    const gone = { status: 404, body: { code: errorCode('synonym_not_found') } }
    expect(await app.alice.call('DELETE', `${PATH}/${oak!.id}`)).toMatchObject(gone)
    const [other] = (await add([{ words: ['door', 'gate'] }], OTHER)).body.synonyms
    expect(await app.alice.call('DELETE', `${PATH}/${other!.id}`)).toMatchObject(gone)
  })

  test('takes all rules or none, and names each rule with a fault', async () => {
    const faulty = await add([
      { words: ['tree', 'oak'] },
      { words: ['tree'] },
      { words: ['fern'], expands_to: ['Fern'] },
      { words: ['a', '---'] },
      { words: Array.from({ length: 26 }, (_, i) => `w${i}`), expands_to: Array.from({ length: 25 }, (_, i) => `v${i}`) },
    ])
    expect([faulty.status, faulty.body.code]).toEqual([400, errorCode('invalid_request')])
    expect(faulty.body.errors).toEqual([
      { path: 'synonyms.1', message: expect.stringContaining('only one word') },
      { path: 'synonyms.2', message: expect.stringContaining('both sides') },
      { path: 'synonyms.3', message: expect.stringContaining('"---"') },
      { path: 'synonyms.4', message: expect.stringContaining('51 words and phrases; the limit is 50') },
    ])
    expect(await add([{ words: ['tree', 'oak'] }, { words: ['thing'], expands_to: ['it'] }])).toMatchObject({
      status: 422,
      body: { code: errorCode('synonym_without_effect'), errors: [{ path: 'synonyms.1' }] },
    })
    const many = Array.from({ length: 101 }, (_, i) => ({ words: [`a${i}`, `b${i}`] }))
    const refused = await add(many)
    expect(refused).toMatchObject({ status: 422, body: { code: errorCode('too_many_synonyms'), limit: 200 } })
    expect(refused.body.detail).toContain('200 words and phrases')
    expect(await list()).toEqual([])
    expect((await add(many.slice(1))).status).toBe(200)
    expect((await add([{ words: ['oak', 'tree'] }], OTHER)).status).toBe(422)
  })

  test('needs read:documents to be seen, and write:documents to be changed', async () => {
    const reader = await app.aliceWith('read:documents')
    const writer = await app.aliceWith('write:documents')
    expect((await reader.get(PATH)).status).toBe(200)
    expect((await writer.get(PATH)).status).toBe(403)
    expect((await writer.post(PATH, { synonyms: [{ words: ['a', 'bc'] }] })).status).toBe(200)
    for (const [method, path, json] of [
      ['POST', PATH, { synonyms: [{ words: ['tree', 'oak'] }] }],
      ['PUT', PATH, { synonyms: [] }],
      ['DELETE', `${PATH}/syn_1`, undefined],
    ] as const)
      expect((await reader.call(method, path, json === undefined ? {} : { json })).status).toBe(403)
  })
})

describe('a search', () => {
  test('uses a rule from the answer on, until the rule is removed', async () => {
    expect(await found('bracken')).toEqual([])
    const [rule] = (await add([{ words: ['bracken'], expands_to: ['fern'] }])).body.synonyms
    expect(await found('Brackens')).toEqual([['fern.txt', [['fern', 'project']]]])
    expect(await found('fern')).toEqual([['fern.txt', []]])
    expect(await found('"bracken"')).toEqual([])
    expect(await found('-bracken fern')).toEqual([['fern.txt', []]])
    await app.alice.call('DELETE', `${PATH}/${rule!.id}`)
    expect(await found('bracken')).toEqual([])
  })

  test('uses it for the passages of its project only, for its user only, also when several projects are searched', async () => {
    await add([{ words: ['quercus', 'oak'] }])
    for (const more of [{}, { project: ['plants', 'cars'] }, { project: 'plants' }])
      expect(await found('quercus', more), JSON.stringify(more)).toEqual([['oak.txt', [['oak', 'project']]]])
    expect(await found('quercus', { project: 'cars' })).toEqual([])
    expect(await found('quercus', {}, app.bob)).toEqual([])
  })

  test('finds phrases, plurals and words of other languages, below the words themselves', async () => {
    await add([{ words: ['afternoon rain', 'Nachmittagsregen', '午后的雨'] }])
    expect((await found('Nachmittagsregen'))[0]).toEqual(['fern.txt', [['afternoon rain', 'project']]])
    expect((await found('下着午后的雨'))[0]).toEqual(['fern.txt', [['afternoon rain', 'project']]])
    const id = await app.alice.ready('regen.txt', 'Der Nachmittagsregen ist warm.', { project: 'plants' })
    const chinese = await app.alice.ready('雨.txt', '今天有午后的雨。', { project: 'plants' })
    const [first, ...others] = (await found('Nachmittagsregen')).map(([name]) => name)
    expect([first, new Set(others)]).toEqual(['regen.txt', new Set(['雨.txt', 'fern.txt'])])
    for (const one of [id, chinese]) await app.alice.call('DELETE', `/api/v1/documents/${one}`)
  })

  test('does not take a word with synonyms for a misspelled one', async () => {
    const corrected = async () => (await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'tell me about fren' })).body
    expect(await corrected()).toMatchObject({ corrected_query: 'tell me about fern' })
    await add([{ words: ['fren'], expands_to: ['oak'] }])
    expect(await corrected()).toMatchObject({ corrected_query: null, results: [{ document: { name: 'oak.txt' } }] })
  })

  test('uses the one-way rules of a project instead of the shipped ones', async () => {
    const id = await app.alice.ready('cool.txt', 'Air conditioning keeps the house cool.', { project: 'plants' })
    expect(await found('AC')).toEqual([['cool.txt', [['air conditioning', 'built_in']]]])
    await add([{ words: ['AC'], expands_to: ['oak'] }])
    expect(await found('AC')).toEqual([['oak.txt', [['oak', 'project']]]])
    await app.alice.call('DELETE', `/api/v1/documents/${id}`)
  })
})

test('synonyms end with their project, and make room for others', async () => {
  await app.alice.post('/api/v1/projects', { name: 'short-lived' })
  const many = Array.from({ length: 100 }, (_, i) => ({ words: [`a${i}`, `b${i}`] }))
  expect((await add(many, '/api/v1/projects/short-lived/synonyms')).status).toBe(200)
  expect((await add([{ words: ['tree', 'oak'] }])).status).toBe(422)
  await app.alice.call('DELETE', '/api/v1/projects/short-lived')
  expect((await add([{ words: ['tree', 'oak'] }])).status).toBe(200)
})
