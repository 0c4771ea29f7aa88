import { readFile } from 'node:fs/promises'
import { reasonOf } from '../../../client/file-error.ts'
import type { Context } from '../../context.ts'
import { EXIT, PartialFailure, usage } from '../../exit.ts'
import { oneLine, safe } from '../../view/safe.ts'
import { count, ERASE_LINE } from '../../view/style.ts'
import { askAll } from './ask.ts'
import { compare, readBaseline } from './compare.ts'
import { summarise } from './measures.ts'
import type { Outcome } from './outcome.ts'
import { readQuestions } from './questions.ts'
import { formatOutcome } from './report.ts'

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
