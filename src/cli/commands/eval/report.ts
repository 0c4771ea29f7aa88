import type { Context } from '../../context.ts'
import { oneLine, safe } from '../../view/safe.ts'
import type { Styled } from '../../view/safe.ts'
import { count } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import { MEASURES, type Measures } from './measures.ts'
import type { Answered, Outcome } from './outcome.ts'

const HEADER = ['', 'QUESTIONS', 'HIT@1', 'HIT@5', 'HIT@10', 'MRR', 'NDCG@10']

/** The measures, their change since the baseline, and the missed questions. */
export function formatOutcome(context: Context, { measures, comparison, questions, settings }: Outcome): Styled {
  const rows: string[][] = []
  for (const level of ['document', 'page'] as const) {
    const found = measures[level]
    if (found !== null) rows.push([`by ${level}`, String(found.questions), ...values(found)])
    const pair = comparison?.[level]
    if (pair)
      rows.push(
        ['before', String(pair.before.questions), ...values(pair.before)],
        ['change', '', ...changes(pair.now, pair.before)],
      )
  }
  const missed = questions.filter(isMissed)
  const table = formatTable(HEADER, rows, context.table)
  if (missed.length === 0) return table
  return safe`${table}\n${count(missed.length, 'question')} without the expected answer in the first ${count(settings.limit, 'result')}:\n${missed.map(formatMissed).join('')}`
}

/** True when the expected page is missing, or the document where no page is expected. */
export function isMissed({ document, page }: Answered): boolean {
  return (page ?? document).rank === null
}

function values(measures: Measures): string[] {
  return MEASURES.map((name) => measures[name].toFixed(3))
}

function changes(now: Measures, before: Measures): string[] {
  return MEASURES.map((name) => {
    const change = (now[name] - before[name]).toFixed(3)
    return Number(change) === 0 ? '=' : `${Number(change) > 0 ? '+' : ''}${change}`
  })
}

function formatMissed({ line, query, expect, instead }: Answered): string {
  const place = (document: string, page: number | null) => `${oneLine(document)}${page === null ? '' : `:${page}`}`
  const wanted = expect.map(({ document, page }) => place(document, page)).join(', ')
  const found = instead.map(({ document, page }) => place(document, page)).join(', ') || 'nothing'
  return `  line ${line}: ${oneLine(query)}\n    expected ${wanted}\n    found    ${found}\n`
}
