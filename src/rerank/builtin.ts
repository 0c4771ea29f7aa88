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

/** The constants of BM25: how fast repetition saturates, and how much a passage's length counts. */
const K1 = 1.2
const B = 0.75
/** After this long, other work gets its turn. */
const SLICE_MS = 4
/** How many terms at the start of the text count as the opening of a passage. */
const OPENING = 25

/**
 * Weights of the features that are added to BM25, all in its unit: a sum of idf. Round numbers on purpose: a search for finer ones, each
 * time without one of the judged collections, did worse on that collection than the round start (mean nDCG@10 .675 against .680).
 */
const WEIGHTS = {
  /** Neighbouring words of the question that are neighbours in the passage. */
  pairs: 0.3,
  /** How close together the question's words stand, neighbours or not. */
  proximity: 0.2,
  /** The question's words in title and headings. */
  title: 0.3,
  /** The share of title and headings that the question names. */
  title_share: 0.05,
  /** The question's words anywhere in the passage. */
  coverage: 0.2,
  /** The most of the question's words within 60, 15 or 8 terms. */
  window_60: 0.15,
  window_15: 0.5,
  window_8: 0.5,
  /** The question's words in the opening: texts say first what they are about. */
  opening: 0.2,
} as const

type Features = Record<keyof typeof WEIGHTS | 'bm25', number>

/**
 * Reorders by where the passage contains the question's words: next to each other, close together, in its title, in its opening. It
 * needs no model and waits for nothing: a hundred passages take a few milliseconds. The vectors' part of each score stays in it.
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
          reason: 'The built-in reranker compares words, and keyword search found none of these passages.',
        }
      const sought = soughtOf({ words, idf })
      const average = candidates.reduce((sum, { terms }) => sum + countTerms(terms), 0) / candidates.length
      const measured: { candidate: RerankCandidate; parts: Features }[] = []
      let began = performance.now()
      for (const candidate of candidates) {
        measured.push({ candidate, parts: featuresOf(candidate, sought, average) })
        if (performance.now() - began < SLICE_MS) continue
        await nextTurn()
        if (signal.aborted) return { applied: false, scores: null, reason: 'The search was cancelled.' }
        began = performance.now()
      }
      // As in fusion: the best passage gets all of the score that the vectors leave, the others their share of it.
      const maxSum = Math.max(...measured.map(({ parts }) => sumOf(parts)))
      const room = Math.max(...candidates.map(({ score, vectorPart }) => score - vectorPart))
      const features = new Map(
        measured.map(({ candidate, parts }) => {
          const shares = Object.entries(parts).map(([name, value]) => [name, (room * value) / maxSum] as const)
          return [candidate.id, { ...Object.fromEntries(shares), vector: candidate.vectorPart }]
        }),
      )
      const scores = new Map([...features].map(([id, parts]) => [id, Math.min(1, sumOf(parts))]))
      return { applied: true, scores, features, reason: null }
    },
  }
}

/** Returns the weighted features of a passage. */
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

/** Cached, because the passages of a document share their title, and often their headings. */
const titles = new Map<string, Title>()
const MAX_TITLES = 2_000

/** Returns how many of a passage's first terms are its title and headings, and how many of these are no stop words. */
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
