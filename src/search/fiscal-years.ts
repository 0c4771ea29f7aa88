import type { QueryWord } from '../text/analyse.ts'

const FISCAL_YEAR = /^fy(?:20)?(?<year>\d\d)$/
const YEAR = /^(?:20)?\d\d$/

/**
 * Reads `FY2018` and `FY18` as the same word, and as the year 2018. `FY` alone is no word of such a question: a report that writes
 * `fiscal 2018` would lose to every list that has FY23.
 */
export function readFiscalYears(words: readonly QueryWord[]): QueryWord[] {
  const read: QueryWord[] = []
  /** The year whose parts come next. */
  let year: string | null = null
  for (const [i, word] of words.entries()) {
    const [term] = word.terms
    if (word.role !== 'part') year = FISCAL_YEAR.exec(term!)?.groups!['year'] ?? null
    if (word.role !== 'part' && year !== null) read.push({ ...word, terms: [`fy20${year}`, `fy${year}`] })
    else if (word.role === 'part' && year !== null) {
      if (term !== 'fy') read.push({ ...word, terms: [`20${year}`] })
    } else if (term !== 'fy' || !YEAR.test(words[i + 1]?.terms[0] ?? '')) read.push(word)
  }
  return read
}
