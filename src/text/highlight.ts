import { TermFinder } from './analyse.ts'

const UNSPACED_CHARACTER =
  /^[\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Hang}\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}]$/u

/**
 * Finds the words of a query in each text. Returns sorted spans [start, end) in UTF-16 code units that neither overlap nor touch.
 * `queryTerms` comes from `analyseQuery`. Single Chinese, Japanese, Korean or Thai characters are marked only if the query has no
 * longer terms, because they occur everywhere.
 */
export function highlight(texts: readonly string[], queryTerms: readonly string[]): [number, number][][] {
  const longer = queryTerms.filter((term) => !UNSPACED_CHARACTER.test(term))
  const terms = new TermFinder(longer.length > 0 ? longer : queryTerms)
  return texts.map((text) => merge(terms.placesIn(text)))
}

function merge(places: { start: number; end: number }[]): [number, number][] {
  const spans: [number, number][] = []
  for (const { start, end } of places.sort((a, b) => a.start - b.start)) {
    const last = spans.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else spans.push([start, end])
  }
  return spans
}
