import type { SearchResult, SearchRequest } from '../../../contract/search.ts'
import type { Expected } from './questions.ts'

/** How well one question was answered, by documents or by pages. */
export interface Standing {
  /** Rank of the first expected result; null when there is none. */
  rank: number | null
  /** Within the first ten results, 0 to 1. */
  ndcg: number
}

/** Shares of the questions and means over them, from 0 to 1. */
export interface Measures {
  questions: number
  hit_1: number
  hit_5: number
  hit_10: number
  mrr: number
  ndcg_10: number
}

export const MEASURES = ['hit_1', 'hit_5', 'hit_10', 'mrr', 'ndcg_10'] as const

/** Judges results by their documents. An expected document counts at its first result only. */
export function byDocument(results: readonly SearchResult[], expect: readonly Expected[]): Standing {
  const wanted = [...new Set(expect.map(({ document }) => document))]
  return standing(results, wanted, (result, name) => isOf(result, name))
}

/** Judges results by their pages; null when no page is expected. A passage counts for every page it covers. */
export function byPage(results: readonly SearchResult[], expect: readonly Expected[]): Standing | null {
  const wanted = expect.filter((one) => one.page !== null)
  if (wanted.length === 0) return null
  return standing(results, wanted, (result, { document, page }) => {
    return isOf(result, document) && result.chunk.page_start <= page! && page! <= result.chunk.page_end
  })
}

export function isOf({ document }: SearchResult, name: string): boolean {
  return [document.id, document.name, document.path].includes(name)
}

/** Rank, and nDCG with a gain of 1 for each expected item at its first result (Järvelin and Kekäläinen 2002). */
function standing<T>(
  results: readonly SearchResult[],
  wanted: readonly T[],
  has: (result: SearchResult, one: T) => boolean,
): Standing {
  const open = new Set(wanted)
  let rank: number | null = null
  let gain = 0
  for (const [i, result] of results.entries()) {
    const found = [...open].filter((one) => has(result, one))
    for (const one of found) open.delete(one)
    if (found.length > 0) rank ??= i + 1
    if (i < 10) gain += found.length * discount(i)
  }
  const most = wanted.slice(0, 10).reduce((sum, _, i) => sum + discount(i), 0)
  // One passage may hold two expected items, which can exceed the ideal gain.
  return { rank, ndcg: Math.min(1, gain / most) }
}

function discount(place: number): number {
  return 1 / Math.log2(place + 2)
}

/** Averages over all questions; null when there are none. */
export function summarise(standings: readonly Standing[]): Measures | null {
  if (standings.length === 0) return null
  const mean = (value: (one: Standing) => number) => standings.reduce((sum, one) => sum + value(one), 0) / standings.length
  const hit = (cut: number) => mean(({ rank }) => (rank !== null && rank <= cut ? 1 : 0))
  return {
    questions: standings.length,
    hit_1: hit(1),
    hit_5: hit(5),
    hit_10: hit(10),
    mrr: mean(({ rank }) => (rank === null ? 0 : 1 / rank)),
    ndcg_10: mean(({ ndcg }) => ndcg),
  }
}

/** The result of a run: `--json` prints it, `--baseline` reads it. */
export interface Outcome {
  /** Version of this format. */
  eval: 1
  file: string
  settings: { mode: NonNullable<SearchRequest['mode']>; rerank: boolean; group: boolean; limit: number }
  measures: { document: Measures | null; page: Measures | null }
  questions: Answered[]
  failed: { line: number; query: string; code: string; message: string }[]
  /** Why searches ran with less than the settings asked for, and for how many questions. */
  fallbacks: { reason: string; questions: number }[]
  comparison: Comparison | null
}

export interface Answered {
  line: number
  query: string
  projects: string[]
  expect: Expected[]
  document: Standing
  page: Standing | null
  /** The first results that were not expected; empty when the first result was right. */
  instead: { rank: number; document: string; page: number }[]
  took_ms: number
}

export interface Comparison {
  /** Questions that both runs have. */
  questions: number
  /** Questions that only one run has. */
  others: number
  /** Over the questions of both runs. */
  document: { now: Measures; before: Measures }
  page: { now: Measures; before: Measures } | null
  /** The largest drop of any measure, 0 when none dropped. */
  drop: number
  max_drop: number | null
  /** The measure that dropped most, e.g. `document hit_5`. */
  dropped_most: string | null
}
