import { expect, test } from 'vitest'
import { correct, type SpellingOptions } from '../../../src/search/spelling.ts'
import { TimeBudget } from '../../../src/search/time-budget.ts'

const STOPPED = 'Spelling correction stopped after 20 ms, so docsearch searched for some words as you typed them.'

interface World {
  /** Returns a page of the vocabulary, and whether more follow. Reading it takes 1 ms. */
  page(initial: string, read: number): { words: string[]; more: boolean }
  /** The terms that the index has. */
  indexed?: string[]
}

/** Corrects with a scripted vocabulary and clock, and counts what is read. */
function setUp({ page, indexed = [] }: World) {
  const counts = { pages: 0, entries: 0, looks: 0 }
  const vocabulary: SpellingOptions['vocabulary'] = {
    frequencies: async () => ({ passages: 1, frequency: new Map() }),
    async wordsFrom(_, initial) {
      counts.pages++
      const { words, more } = page(initial, counts.pages)
      return { words, next: more ? 'more' : null }
    },
    async entries(_, words) {
      counts.entries += words.length
      return words.map((word) => ({ word, term: word, documents: 1 }))
    },
  }
  const index: SpellingOptions['index'] = {
    async keywordSearch(terms) {
      counts.looks++
      const hit = { id: '', documentId: '', version: 1, index: 0, pageStart: 1, pageEnd: 1, textHash: '', row: 0n, score: 1 }
      return terms.some((term) => indexed.includes(term)) ? [hit] : []
    },
  }
  const budget = new TimeBudget(20, () => counts.pages)
  const ask = (query: string) => correct(query, { ownerId: 'usr_1', spans: [[0, query.length]], vocabulary, index, budget })
  return { ask, counts }
}

const lastPage = (words: string[]) => ({ words, more: false })

test('stops when the time is up, leaves the words as typed and says so', async () => {
  const { ask, counts } = setUp({ page: () => ({ words: ['xylophone'], more: true }) })
  expect(await ask('xylophonne zylophonne')).toEqual({ query: null, terms: [], reason: STOPPED })
  expect(counts).toEqual({ pages: 20, entries: 0, looks: 0 })
})

test('keeps the corrections that it had time for', async () => {
  const { ask } = setUp({ page: (initial) => (initial === 'x' ? lastPage(['xylophone']) : { words: [], more: true }) })
  expect(await ask('xylophonne zylophonne')).toEqual({ query: 'xylophone zylophonne', terms: [], reason: STOPPED })
})

test('lets other requests of the process run between two reads', async () => {
  const { ask, counts } = setUp({ page: () => ({ words: [], more: true }) })
  let pagesBefore = -1
  setImmediate(() => (pagesBefore = counts.pages))
  await ask('xylophonne')
  expect(pagesBefore).toBeLessThan(3)
})

test('compares the documents of a limited number of equally near words', async () => {
  const near = Array.from({ length: 5_000 }, (_, i) => `xylophon${String.fromCodePoint(0x4e00 + i)}`)
  const { ask, counts } = setUp({ page: () => lastPage(near) })
  await ask('xylophonq')
  expect(counts.entries).toBe(100)
})

test('looks into the index once for all words, and for each word only when it has one of them', async () => {
  const words = ['xylophone', 'trombone', 'clarinet']
  const page = (initial: string) => lastPage(words.filter((word) => word.startsWith(initial)))
  const lacking = setUp({ page })
  expect(await lacking.ask('xylophonne trombonne clarinnet')).toMatchObject({
    query: 'xylophone trombone clarinet',
    reason: null,
  })
  expect(lacking.counts.looks).toBe(1)
  const having = setUp({ page, indexed: ['trombonne'] })
  expect(await having.ask('xylophonne trombonne clarinnet')).toMatchObject({
    query: 'xylophone trombonne clarinet',
    reason: null,
  })
  expect(having.counts.looks).toBe(4)
})
