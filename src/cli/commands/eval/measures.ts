import type { SearchResult } from '../../../contract/search.ts'
import type { Expected } from './questions.ts'

/** How one question was answered, by documents or by pages. */
export interface Standing {
  /** Of the first result that was expected; null when none was. */
  rank: number | null
  /** Within the first ten results, 0 to 1. */
  ndcg: number
}

/** Shares of questions and means over them, 0 to 1. */
export interface Measures {
  questions: number
  hit_1: number
  hit_5: number
  hit_10: number
  mrr: number
  ndcg_10: number
}

export const MEASURES = ['hit_1', 'hit_5', 'hit_10', 'mrr', 'ndcg_10'] as const

/** Results as they are shown, whichever document they are of: a document expected once counts at its first result only. */
export function byDocument(results: readonly SearchResult[], expect: readonly Expected[]): Standing {
  const wanted = [...new Set(expect.map(({ document }) => document))]
  return standing(results, wanted, (result, name) => isOf(result, name))
}

/** Null where no page is expected. A passage over several pages stands for each of them. */
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

/** nDCG with a gain of 1 for each that is expected, at the first result that has it (Järvelin and Kekäläinen 2002). */
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
  // A passage that has two of them stands above what any order of single ones could reach.
  return { rank, ndcg: Math.min(1, gain / most) }
}

function discount(place: number): number {
  return 1 / Math.log2(place + 2)
}

/** Null without any question. */
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
