import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatHeading } from '../core/chunk.ts'
import { analyse } from '../text/analyse.ts'
import {
  coverage,
  findWords,
  type Finds,
  pairScore,
  proximityScore,
  type Saturate,
  type Sought,
  soughtOf,
  titleShare,
  windowCoverage,
} from './features.ts'
import type { RerankCandidate, Reranker } from './reranker.ts'

/** BM25's own: how fast repetition saturates, and how much a passage's length counts. */
const K1 = 1.2
const B = 0.75
/** After so long other work gets its turn. */
const SLICE_MS = 4
/** Terms of the text that open a passage. */
const OPENING = 25

/**
 * What is added to BM25, each in its unit: a sum of idf. Round figures on purpose: a search for finer ones, each time with one of the judged
 * collections left out, did worse on the one left out than its untuned start (mean nDCG@10 .675 against .680).
 */
const WEIGHTS = {
  /** Neighbours of the question that are neighbours in the passage. */
  pairs: 0.3,
  /** How near the words stand to each other, neighbours or not. */
  proximity: 0.2,
  /** The question's words that title and headings have. */
  title: 0.3,
  /** How much of title and headings the question has. */
  title_share: 0.05,
  /** The question's words that the passage has at all. */
  coverage: 0.2,
  /** The most of them within so many terms. */
  window_60: 0.15,
  window_15: 0.5,
  window_8: 0.5,
  /** Those that its first words have: texts say first what they are about. */
  opening: 0.2,
} as const

type Features = Record<keyof typeof WEIGHTS | 'bm25', number>

/**
 * Reorders by how the question's words stand in the passage: next to each other, near each other, in its title, at its beginning. No model,
 * nothing that waits: a hundred passages take some milliseconds. What the vectors have in a score stays in it.
 */
export function createBuiltinReranker(): Reranker {
  return {
    model: 'builtin',
    readsPassages: true,
    async rerank({ candidates, words, idf, signal }) {
      const byWords = candidates.some(({ keywordScore }) => keywordScore > 0)
      if (!byWords)
        return {
          applied: false,
          scores: null,
          reason: 'No passage was found by its words, which is what the built-in reranker weighs.',
        }
      const sought = soughtOf({ words, idf })
      const average = candidates.reduce((sum, { terms }) => sum + countTerms(terms), 0) / candidates.length
      const measured: { candidate: RerankCandidate; parts: Features }[] = []
      let began = performance.now()
      for (const candidate of candidates) {
        measured.push({ candidate, parts: featuresOf(candidate, sought, average) })
        if (performance.now() - began < SLICE_MS) continue
        await nextTurn()
        if (signal.aborted) return { applied: false, scores: null, reason: 'Nobody waits for the order any longer.' }
        began = performance.now()
      }
      // As the keyword channel has it in the fused score: the best has all of what vectors leave, the others their share of that.
      const most = Math.max(...measured.map(({ parts }) => sumOf(parts)))
      const room = Math.max(...candidates.map(({ score, vectorPart }) => score - vectorPart))
      const features = new Map(
        measured.map(({ candidate, parts }) => {
          const shares = Object.entries(parts).map(([name, value]) => [name, (room * value) / most] as const)
          return [candidate.id, { ...Object.fromEntries(shares), vector: candidate.vectorPart }]
        }),
      )
      const scores = new Map([...features].map(([id, parts]) => [id, Math.min(1, sumOf(parts))]))
      return { applied: true, scores, features, reason: null }
    },
  }
}

/** The features of a passage, weighted. */
function featuresOf(candidate: RerankCandidate, sought: Sought, averageLength: number): Features {
  const title = titleOf(candidate)
  const found: Finds = findWords(candidate.terms, title.length, sought)
  const slow = K1 * (1 - B + (B * found.length) / averageLength)
  const saturate: Saturate = (count) => (count * (K1 + 1)) / (count + slow)
  const raw = {
    pairs: pairScore(found, sought, saturate),
    proximity: proximityScore(found, sought, saturate),
    title: coverage(found, sought, 0, title.length),
    title_share: titleShare(found, title.subject) * sought.total,
    coverage: coverage(found, sought, 0, found.length),
    window_60: windowCoverage(found, sought, 60),
    window_15: windowCoverage(found, sought, 15),
    window_8: windowCoverage(found, sought, 8),
    opening: coverage(found, sought, title.length, title.length + OPENING),
  }
  const weighted = Object.entries(WEIGHTS).map(([name, weight]) => [name, weight * raw[name as keyof typeof WEIGHTS]])
  return { bm25: candidate.keywordScore, ...Object.fromEntries(weighted) } as Features
}

function sumOf(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((sum, value) => sum + value, 0)
}

function countTerms(terms: string): number {
  let count = 1
  for (let at = terms.indexOf(' '); at >= 0; at = terms.indexOf(' ', at + 1)) count++
  return count
}

interface Title {
  length: number
  subject: number
}

/** Passages of a document share their title, and their headings often. */
const titles = new Map<string, Title>()
const MAX_TITLES = 2_000

/** How many of a passage's first terms are its title and headings, and how many of those carry a subject. */
function titleOf({ title, heading }: RerankCandidate): Title {
  const text = formatHeading([title ?? '', heading].filter((part) => part !== ''))
  let known = titles.get(text)
  if (known === undefined) {
    if (titles.size >= MAX_TITLES) titles.clear()
    const tokens = analyse(text)
    known = { length: tokens.length, subject: tokens.filter((token) => !token.stop).length }
    titles.set(text, known)
  }
  return known
}
