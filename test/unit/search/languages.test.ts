import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBuiltinReranker } from '../../../src/rerank/reranker.ts'
import { type Fixture, makeFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await makeFixture()
  await fixture.add('english.txt', [
    'In 2019 the harbour of Rotterdam was rebuilt by Kowalczyk, and it is now the largest of all on this coast.',
  ])
  await fixture.add('german.txt', [
    'Im Jahr 2019 wurde der Hafen von Rotterdam durch Kowalczyk umgebaut, und er ist nun der größte an dieser Küste.',
  ])
  await fixture.add('refunds.txt', ['Purchases are reimbursed within thirty days of delivery; the refund is paid to the card.'])
  await fixture.add('chinese.txt', ['公司在鹿特丹重建了港口。'])
  for (let i = 1; i <= 8; i++) await fixture.add(`stray${i}.txt`, [`Der Bericht ${i} über das Wetter und die Ernte.`])
})
afterAll(() => fixture.cleanUp())
const ask = async (query: string) => (await fixture.ask(query, {}, { reranker: createBuiltinReranker() })).hits

test.each([
  ['Who was it that Rotterdam hired in 2019, was it Kowalczyk?', 'english.txt', 'german.txt'],
  ['Wen hat man in Rotterdam 2019 beauftragt, war das Kowalczyk?', 'german.txt', 'english.txt'],
])(
  '%s: names are the same in all languages, and the passage in the language of the question wins',
  async (query, first, second) => {
    const hits = await ask(query)
    expect(hits.slice(0, 2).map(({ document }) => document.name)).toEqual([first, second])
  },
)

test('a question in another language gets no places by meaning, because the model knows only English', async () => {
  const hits = await ask('Wie bekomme ich das Geld für meine card und den refund zurück, steht das im Bericht?')
  expect(hits.length).toBeGreaterThan(0)
  expect(hits.every(({ stages }) => stages.reserved === null)).toBe(true)
})

test('in a script without blanks, only keywords order the results', async () => {
  const [best] = await ask('港口')
  expect(best!.document.name).toBe('chinese.txt')
  expect(best!.stages.fused.score).toBe(best!.stages.keyword!.score)
})
