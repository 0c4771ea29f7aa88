import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_JOINED_CHARS, MAX_PASSAGE_CHARS } from '../../../src/core/text-limits.ts'
import type { SearchOutcome } from '../../../src/search/search.ts'
import { type Fixture, makeFixture } from './fixture.ts'
import { visibleTo } from '../../support/visible.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await makeFixture()
})
afterAll(() => fixture.cleanUp())

const shown = ({ hits }: SearchOutcome) => hits.map(({ document, text }) => [document.name, text])

test('joins consecutive passages into one result with the whole text, its page and its highlights', async () => {
  const passages = ['Nothing of the kind.', 'The walrus sleeps.', 'A walrus eats.', 'Every walrus swims.', 'The end.']
  await fixture.add('walrus.txt', passages, { following: true })
  const { hits } = await fixture.ask('walrus', { mode: 'keyword' })
  const text = 'The walrus sleeps.\n\nA walrus eats.\n\nEvery walrus swims.'
  expect(hits).toHaveLength(1)
  expect(hits[0]).toMatchObject({ text, joinedPassages: 3, passage: { pageStart: 1, pageEnd: 1 } })
  const { charStart, charEnd } = hits[0]!.passage
  expect(passages.join('\n\n').slice(charStart, charEnd)).toBe(text)
  expect(hits[0]!.highlights.map(([from, to]) => text.slice(from, to))).toEqual(['walrus', 'walrus', 'walrus'])
})

test('joins as many of the longest passages as a result may have', async () => {
  const passages = ['a', 'b', 'c', 'd'].map((letter) => `kiwi ${letter.repeat(MAX_PASSAGE_CHARS - 5)}`)
  await fixture.add('kiwi.txt', passages, { following: true })
  const { hits } = await fixture.ask('kiwi', { mode: 'keyword' })
  expect(hits.some(({ joinedPassages }) => joinedPassages === 2)).toBe(true)
  for (const { text, passage } of hits) {
    expect(text.length).toBeLessThanOrEqual(MAX_JOINED_CHARS)
    expect(passages.join('\n\n').slice(passage.charStart, passage.charEnd)).toBe(text)
  }
})

test('does not join passages that lie apart in a document', async () => {
  await fixture.add('otter.txt', ['An otter.', 'Something else.', 'One more otter.'], { following: true })
  const { hits } = await fixture.ask('otter', { mode: 'keyword' })
  expect(hits.map(({ text }) => text).toSorted()).toEqual(['An otter.', 'One more otter.'])
})

test('a passage that closes a gap joins the results on both sides', async () => {
  // The additional word makes its score lower than those of both neighbours.
  const [first, between, last] = ['Rivers, reeds, heron.', 'Rivers, reeds, gulls, heron.', 'Heron, reeds, rivers.']
  await fixture.add('heron.txt', [first, between, last], { following: true })
  const { hits } = await fixture.ask('heron', { mode: 'keyword' })
  expect(hits).toHaveLength(1)
  expect(hits[0]).toMatchObject({ joinedPassages: 3, text: `${first}\n\n${between}\n\n${last}` })
})

test('result pages of any size neither repeat nor skip a passage', async () => {
  const follows = (name: string) =>
    Array.from({ length: 30 }, (_, n) => `${name} ${n}: ${n % 3 === 0 ? 'gravel' : 'a lynx '.repeat((n % 4) + 1)}`)
  for (const name of ['one', 'two', 'three', 'four']) await fixture.add(`lynx-${name}.txt`, follows(name), { following: true })
  const all = shown(await fixture.ask('lynx', { mode: 'keyword', limit: 100 }))
  for (const limit of [1, 3, 7]) {
    const pages: string[][] = []
    for (let offset = 0; offset < all.length; offset += limit)
      pages.push(...shown(await fixture.ask('lynx', { mode: 'keyword', limit, offset })))
    expect(pages).toEqual(all)
  }
  const passages = all.flatMap(([name, text]) => text!.split('\n\n').map((passage) => `${name} ${passage}`))
  expect(new Set(passages).size).toBe(80)
  expect(passages).toHaveLength(80)
})

test('shows the same text of two documents once, with the first path, and names the other document with its page', async () => {
  const clause = 'The tenant waters the magnolia every second evening.'
  const copy = await fixture.add('magnolia-copy.txt', ['Foreword.', 'Preface.', clause])
  await fixture.add('lease.txt', ['Rent is due.', clause])
  const { hits } = await fixture.ask('magnolia', { mode: 'keyword' })
  expect(hits.map(({ document, alsoIn }) => [document.name, alsoIn])).toEqual([
    ['lease.txt', [{ id: copy.id, name: 'magnolia-copy.txt', pageStart: 3 }]],
  ])
})

test('grouped by document, each document with the same text is a result', async () => {
  const { hits } = await fixture.ask('magnolia', { mode: 'keyword', groupBy: 'document' })
  expect(hits.map(({ document }) => document.name).toSorted()).toEqual(['lease.txt', 'magnolia-copy.txt'])
})

test('when the shown document is deleted, the other takes its place', async () => {
  const { hits } = await fixture.ask('magnolia', { mode: 'keyword' })
  await fixture.records.documents.delete(await visibleTo(fixture.records, fixture.owner.id), hits[0]!.document.id)
  const after = await fixture.ask('magnolia', { mode: 'keyword' })
  expect(after.hits.map(({ document, alsoIn }) => [document.name, alsoIn])).toEqual([['magnolia-copy.txt', []]])
})

test("does not name another owner's document with the same text", async () => {
  const other = await fixture.makeOwner('Grace')
  await fixture.add('hers.txt', ['Nobody may know of the axolotl.'], other)
  await fixture.add('mine.txt', ['Nobody may know of the axolotl.'])
  expect((await fixture.ask('axolotl')).hits.map(({ document, alsoIn }) => [document.name, alsoIn])).toEqual([['mine.txt', []]])
})
