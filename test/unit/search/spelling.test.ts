import { expect, test } from 'vitest'
import { correct, correctableIn, type SpellingOptions, TimeBudget } from '../../../src/search/spelling.ts'

const STOPPED = 'Spelling correction stopped after 20 ms, so docsearch searched for some words as you typed them.'

interface World {
  /** Returns a page of the vocabulary, and whether more follow. Reading it takes 1 ms. */
  page(initial: string, read: number): { words: string[]; more: boolean }
  /** The terms that the index has. */
  indexed?: string[]
}

/** Corrects with a scripted vocabulary and clock, and counts what is read. */
function setUp({ page, indexed = [] }: World) {
  const counts = { pages: 0, entries: 0 }
  const vocabulary: SpellingOptions['vocabulary'] = {
    async wordsFrom(_, initial) {
      counts.pages++
      const { words, more } = page(initial, counts.pages)
      return { words, next: more ? 'more' : null }
    },
    async entries(_, words) {
      counts.entries += words.length
      const known = words.filter((word) => page(word[0]!, 0).words.includes(word))
      return known.map((word) => ({ word, term: word, documents: 1 }))
    },
  }
  const budget = new TimeBudget(20, () => counts.pages)
  const ask = (query: string) => {
    const words = correctableIn(query, [[0, query.length]])
    const isUnknown = (terms: readonly string[]) => !terms.some((term) => indexed.includes(term))
    const unknown = words.flatMap(({ terms }, position) => (isUnknown(terms) ? position : []))
    return correct(query, words, unknown, { projects: new Set(['prj_1']), vocabulary, budget })
  }
  return { ask, counts }
}

const lastPage = (words: string[]) => ({ words, more: false })

test('stops when the time is up, leaves the words as typed and says so', async () => {
  const { ask, counts } = setUp({ page: () => ({ words: ['xylophone'], more: true }) })
  expect(await ask('xylophonne zylophonne')).toEqual({ query: null, terms: [], reason: STOPPED })
  expect(counts).toEqual({ pages: 20, entries: 1 })
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
  expect(counts.entries).toBe(101)
})

test('reads no other words for a word that the documents have in another form, and for a known word', async () => {
  const { ask, counts } = setUp({ page: () => lastPage(['xylophonne', 'windov']) })
  expect(await ask('xylophonne window')).toEqual({ query: null, terms: ['xylophonne'], reason: null })
  expect(counts.pages).toBe(0)
})

test('corrects the words that no passage has, and no others', async () => {
  const words = ['xylophone', 'trombone', 'clarinet']
  const page = (initial: string) => lastPage(words.filter((word) => word.startsWith(initial)))
  const { ask } = setUp({ page, indexed: ['trombonn'] })
  expect(await ask('xylophonne trombonne clarinnet')).toMatchObject({
    query: 'xylophone trombonne clarinet',
    reason: null,
  })
})
