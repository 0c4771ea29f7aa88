import { analyse } from './analyse.ts'
import type { Token } from './analyse.ts'

const UNSPACED_CHARACTER =
  /^[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}]$/u

/**
 * Finds the words of a query in a text. Returns sorted spans [start, end) in UTF-16 code units that neither overlap nor touch.
 * `queryTerms` comes from `analyseQuery`. Single Chinese, Japanese, Korean or Thai characters are marked only if the query has no
 * longer terms, because they occur everywhere.
 */
export function highlight(text: string, queryTerms: readonly string[]): [number, number][] {
  const wanted = new Set(queryTerms)
  const longer = [...wanted].filter((term) => !UNSPACED_CHARACTER.test(term))
  const terms = longer.length > 0 ? new Set(longer) : wanted
  const hits = analyse(text).filter((token) => terms.has(token.term))
  return merge(hits)
}

function merge(hits: Token[]): [number, number][] {
  const spans: [number, number][] = []
  for (const { start, end } of hits.sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else spans.push([start, end])
  }
  return spans
}
