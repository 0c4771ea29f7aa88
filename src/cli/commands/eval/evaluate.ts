import { readFile } from 'node:fs/promises'
import { reasonOf } from '../../../client/errors.ts'
import type { Context } from '../../context.ts'
import { EXIT, PartialFailure, usage } from '../../exit.ts'
import { oneLine, safe, type Styled } from '../../view/safe.ts'
import { count, ERASE_LINE } from '../../view/style.ts'
import { askAll } from './ask.ts'
import { summarise, MEASURES, type Measures, type Outcome, type Answered, type Comparison } from './measures.ts'
import { readQuestions } from './questions.ts'
import { formatTable } from '../../view/table.ts'

interface BaselineOptions {
  /** A saved outcome to compare with. */
  file: string | undefined
  maxDrop: number | null
}

/** Asks every question and prints the measures. Throws PartialFailure for failed questions and for a drop that is too large. */
export async function evaluate(
  context: Context,
  file: string,
  settings: Outcome['settings'],
  options: BaselineOptions,
): Promise<number> {
  const questions = await readQuestions(file, await read(file))
  const baseline = options.file === undefined ? null : readBaseline(options.file, await read(options.file))
  const client = await context.client()
  const asked = await askAll(context, client, questions, settings, progress(context, questions.length))
  const outcome = summariseRun(file, settings, asked, baseline, options)

  if (context.json) context.printJson(outcome)
  else context.print(formatOutcome(context, outcome))
  reportLimitations(context, outcome, baseline)
  return exitCodeFor(outcome)
}

function summariseRun(
  file: string,
  settings: Outcome['settings'],
  asked: Pick<Outcome, 'questions' | 'failed' | 'fallbacks'>,
  baseline: Outcome | null,
  options: BaselineOptions,
): Outcome {
  const comparison = baseline === null ? null : compare(asked.questions, baseline.questions, options.maxDrop)
  if (baseline !== null && comparison === null && asked.questions.length > 0)
    throw usage(`Cannot compare: ${options.file} has none of the questions in ${file}.`)
  const document = summarise(asked.questions.map((one) => one.document))
  const page = summarise(asked.questions.flatMap((one) => one.page ?? []))
  return { eval: 1, file, settings, measures: { document, page }, ...asked, comparison }
}

/** 0, or 1 when no question found its answer. Throws PartialFailure. */
function exitCodeFor({ failed, comparison, questions }: Outcome): number {
  if (failed.length > 0) throw new PartialFailure(`${count(failed.length, 'question')} failed.`)
  if (comparison !== null && comparison.max_drop !== null && comparison.drop > comparison.max_drop) {
    const { dropped_most: name, drop, max_drop: max } = comparison
    throw new PartialFailure(`${name} dropped by ${drop.toFixed(3)}, which is more than ${max}.`)
  }
  return questions.some(({ document }) => document.rank !== null) ? EXIT.done : EXIT.nothing
}

function reportLimitations(
  context: Context,
  { fallbacks, failed, comparison, settings }: Outcome,
  baseline: Outcome | null,
): void {
  for (const { reason, questions } of fallbacks) context.notice(`Limitation for ${count(questions, 'question')}: ${reason}`)
  if (comparison !== null && comparison.others > 0)
    context.notice(
      `Compared the ${count(comparison.questions, 'question')} that both runs have. Questions in only one run: ${comparison.others}.`,
    )
  if (baseline !== null && JSON.stringify(baseline.settings) !== JSON.stringify(settings))
    context.notice('The baseline was measured with different settings.')
  if (failed.length > 0)
    context.report(failed.map(({ line, query, message }) => `line ${line}: ${oneLine(query)}: ${oneLine(message)}\n`).join(''))
}

/** Shows progress as one line on standard error. Shows nothing on a pipe, with --quiet or with --json. */
function progress(context: Context, total: number): (done: number) => void {
  const { stderr } = context.io
  if (!stderr.isTTY || context.json || context.globals.quiet === true) return () => {}
  // Erases the line at Ctrl-C too.
  context.io.signal.addEventListener('abort', () => stderr.print(ERASE_LINE), { once: true })
  return (done) => stderr.print(done === total ? ERASE_LINE : safe`${ERASE_LINE}${done} of ${count(total, 'question')}`)
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw usage(`Cannot read ${file}: ${reasonOf(error)}.`)
  }
}

const HEADER = ['', 'QUESTIONS', 'HIT@1', 'HIT@5', 'HIT@10', 'MRR', 'NDCG@10']

/** The measures, their change since the baseline, and the missed questions. */
function formatOutcome(context: Context, { measures, comparison, questions, settings }: Outcome): Styled {
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
function isMissed({ document, page }: Answered): boolean {
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

/** Reads an outcome that `--json` has printed. Throws DocsearchError `usage` for anything else. */
function readBaseline(file: string, text: string): Outcome {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw usage(`${file} is not valid JSON: ${(error as Error).message}`)
  }
  if (isOutcome(value)) return value
  throw usage(`${file} is not the output of \`docsearch eval --json\`.`)
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null) return false
  const { eval: version, questions, settings } = value as Partial<Outcome>
  return version === 1 && typeof settings === 'object' && Array.isArray(questions) && questions.every(isAnswered)
}

function isAnswered(value: Partial<Answered> | null): boolean {
  const isStanding = (one: Answered['page'] | undefined) =>
    typeof one?.ndcg === 'number' && (one.rank === null || typeof one.rank === 'number')
  return (
    typeof value?.query === 'string' &&
    Array.isArray(value.projects) &&
    isStanding(value.document) &&
    (value.page === null || isStanding(value.page))
  )
}

const key = ({ query, projects }: Answered): string => JSON.stringify([query, ...projects.toSorted()])

/** Compares the questions that both runs have, so that new questions don't change the result. Null when there are none. */
function compare(now: readonly Answered[], before: readonly Answered[], maxDrop: number | null): Comparison | null {
  const known = new Map(before.map((one) => [key(one), one]))
  const pairs = now.flatMap((one) => {
    const other = known.get(key(one))
    return other === undefined ? [] : [{ now: one, before: other }]
  })
  if (pairs.length === 0) return null
  const paged = pairs.filter((pair) => pair.now.page !== null && pair.before.page !== null)
  const document = {
    now: summarise(pairs.map((pair) => pair.now.document))!,
    before: summarise(pairs.map((pair) => pair.before.document))!,
  }
  const page =
    paged.length === 0
      ? null
      : { now: summarise(paged.map((pair) => pair.now.page!))!, before: summarise(paged.map((pair) => pair.before.page!))! }
  const drops = [...dropsOf('document', document), ...(page === null ? [] : dropsOf('page', page))].toSorted(
    (a, b) => b.drop - a.drop,
  )
  const [most] = drops
  return {
    questions: pairs.length,
    others: now.length - pairs.length + (before.length - pairs.length),
    document,
    page,
    drop: Math.max(0, most?.drop ?? 0),
    max_drop: maxDrop,
    dropped_most: most !== undefined && most.drop > 0 ? most.name : null,
  }
}

function dropsOf(level: string, { now, before }: { now: Measures; before: Measures }): { name: string; drop: number }[] {
  return MEASURES.map((name) => ({ name: `${level} ${name}`, drop: rounded(before[name] - now[name]) }))
}

/** Sums of fractions differ in the last digits when their order differs. */
function rounded(value: number): number {
  return Math.round(value * 1e9) / 1e9
}
