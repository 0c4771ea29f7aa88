import { readFile } from 'node:fs/promises'
import type { SearchRequest } from '../../../contract/search.ts'
import type { Context } from '../../context.ts'
import { EXIT, PartialFailure, usage } from '../../exit.ts'
import { oneLine } from '../../view/safe.ts'
import { count } from '../../view/style.ts'
import { askAll } from './ask.ts'
import { compare, readBaseline } from './compare.ts'
import { summarise } from './measures.ts'
import type { Outcome } from './outcome.ts'
import { readQuestions } from './questions.ts'
import { formatOutcome } from './report.ts'

interface Options {
  limit?: number
  mode?: NonNullable<SearchRequest['mode']>
  rerank: boolean
  group?: boolean
  baseline?: string
  maxDrop?: number
}

export async function run(context: Context, [file]: string[], options: Options): Promise<number> {
  if (options.maxDrop !== undefined && options.baseline === undefined)
    throw usage('--max-drop needs a --baseline to compare with.')
  const questions = await readQuestions(file!, await read(file!))
  const baseline = options.baseline === undefined ? null : readBaseline(options.baseline, await read(options.baseline))
  const { limit = 10, mode = 'hybrid', rerank, group = false } = options
  const settings = { mode, rerank, group, limit }
  const client = await context.client()
  const asked = await askAll(context, client, questions, settings, progress(context, questions.length))
  const outcome = conclude(file!, settings, asked, baseline, options)

  if (context.json) context.printJson(outcome)
  else context.print(formatOutcome(context, outcome))
  sayWhatToKnow(context, outcome, baseline)
  return judgement(outcome)
}

function conclude(
  file: string,
  settings: Outcome['settings'],
  asked: Pick<Outcome, 'questions' | 'failed' | 'fallbacks'>,
  baseline: Outcome | null,
  { baseline: name, maxDrop = null }: { baseline?: string; maxDrop?: number | null },
): Outcome {
  const comparison = baseline === null ? null : compare(asked.questions, baseline.questions, maxDrop)
  if (baseline !== null && comparison === null && asked.questions.length > 0)
    throw usage(`${name} has none of the questions in ${file}, so there is nothing to compare.`)
  const document = summarise(asked.questions.map((one) => one.document))
  const page = summarise(asked.questions.flatMap((one) => one.page ?? []))
  return { eval: 1, file, settings, measures: { document, page }, ...asked, comparison }
}

/** 0, or 1 when no question found anything expected; thrown when some of it failed. */
function judgement({ failed, comparison, questions }: Outcome): number {
  if (failed.length > 0) throw new PartialFailure(`${count(failed.length, 'question')} could not be asked.`)
  if (comparison !== null && comparison.max_drop !== null && comparison.drop > comparison.max_drop) {
    const { dropped_most: name, drop, max_drop: most } = comparison
    throw new PartialFailure(`${name} dropped by ${drop.toFixed(3)}, which is more than ${most}.`)
  }
  return questions.some(({ document }) => document.rank !== null) ? EXIT.done : EXIT.nothing
}

function sayWhatToKnow(context: Context, { fallbacks, failed, comparison, settings }: Outcome, baseline: Outcome | null): void {
  for (const { reason, questions } of fallbacks)
    context.notice(`${count(questions, 'question was', 'questions were')} answered with less: ${reason}`)
  if (comparison !== null && comparison.others > 0)
    context.notice(
      `Compared over the ${count(comparison.questions, 'question')} that both runs have; ${comparison.others} are in one only.`,
    )
  if (baseline !== null && JSON.stringify(baseline.settings) !== JSON.stringify(settings))
    context.notice('The baseline was made with other settings.')
  if (failed.length > 0)
    context.report(failed.map(({ line, query, message }) => `line ${line}: ${oneLine(query)}: ${oneLine(message)}\n`).join(''))
}

/** One line on standard error that is written over; nothing on a pipe, with --quiet or with --json. */
function progress(context: Context, total: number): (done: number) => void {
  const { stderr } = context.io
  if (stderr.isTTY !== true || context.json || context.globals.quiet === true) return () => {}
  // Not left standing when it ends early, at Ctrl-C either.
  context.io.signal.addEventListener('abort', () => stderr.write('\r\u001b[K'), { once: true })
  return (done) => stderr.write(done === total ? '\r\u001b[K' : `\r\u001b[K${done} of ${total} asked`)
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw usage(`${file} cannot be read: ${(error as Error).message}`)
  }
}
