import { fileURLToPath } from 'node:url'
import { jsonLines, RUN_NAMES, RUNS, type Run } from './collections.ts'
import { inParallel, type Instance } from './instance.ts'
import { mean } from './metrics.ts'

export const MISMATCH_DEPTHS = [3, 5, 10] as const
/** Share of the questions, 0 to 1, with a right passage among the first 3, 5 or 10 results. */
type Hits = Record<(typeof MISMATCH_DEPTHS)[number], number>

/** When keywords find a larger share among the first five, the questions share too many words with their passages to measure meaning. */
const MAX_BY_KEYWORD = 0.25
/** The share that hybrid and reranked search have to find among the first five: alone in an instance, and among other passages. */
const MIN_BY_MEANING = { alone: 0.71, amongOthers: 0.65 }

export interface Passage {
  id: string
  field: string
  title: string
  text: string
}

export interface Question {
  id: string
  field: string
  question: string
  /** Ids of the passages that answer it: one, rarely two. */
  passages: string[]
}

export interface MismatchResult {
  questions: number
  /** Number of other passages that were searched, too. */
  others: number
  byRun: Record<Run, Hits>
  /** Measured in the reranked order. */
  byField: Record<string, Hits>
}

/** Reads the set in `mismatch/`. Its README has the rules. */
export function readMismatchSet(): { passages: Passage[]; questions: Question[] } {
  const file = (name: string): string => fileURLToPath(new URL(`mismatch/${name}`, import.meta.url))
  const questions = jsonLines<Omit<Question, 'passages'> & { passage?: string; passages?: string[] }>(file('questions.jsonl'))
  return {
    passages: jsonLines<Passage>(file('passages.jsonl')),
    questions: questions.map(({ id, field, question, passage, passages }) => ({
      id,
      field,
      question,
      passages: passages ?? (passage === undefined ? [] : [passage]),
    })),
  }
}

/** Returns the text of a passage as it is uploaded. */
export function contentOf({ title, text }: Passage): string {
  return `${title}\n\n${text}`
}

const PROJECT = 'mismatch'

export async function loadMismatchSet(instance: Instance): Promise<void> {
  const { passages } = readMismatchSet()
  // File names have no meaning, because search may read them.
  await instance.load(
    PROJECT,
    passages.map((passage, i) => ({ name: `${i}.txt`, content: contentOf(passage) })),
  )
}

/**
 * Measures whether search finds passages by meaning, with questions that share no word with their passage. Searches all projects of an
 * instance that has the set; `others` says how many other passages are there.
 */
export async function measureMismatch(instance: Instance, others: number): Promise<MismatchResult> {
  const { passages, questions } = readMismatchSet()
  const byRun = {} as MismatchResult['byRun']
  const byField: MismatchResult['byField'] = {}
  for (const run of RUN_NAMES) {
    const ranks = await inParallel(questions, 4, async ({ question, passages: right }) => {
      const { results } = await instance.search({ query: question, ...RUNS[run], limit: 10, group_by: 'document' })
      return results.findIndex(
        ({ document: { project, name } }) => project.name === PROJECT && right.includes(passages[Number.parseInt(name)]!.id),
      )
    })
    byRun[run] = hits(ranks)
    if (run !== 'reranked') continue
    for (const field of new Set(questions.map((question) => question.field))) {
      byField[field] = hits(ranks.filter((_, i) => questions[i]!.field === field))
    }
  }
  return { questions: questions.length, others, byRun, byField }
}

/** Takes places from 0, and -1 for a passage that was not found. */
function hits(ranks: readonly number[]): Hits {
  const rate = (depth: number): number => mean(ranks.map((rank) => (rank >= 0 && rank < depth ? 1 : 0)))
  return Object.fromEntries(MISMATCH_DEPTHS.map((depth) => [depth, rate(depth)])) as Hits
}

/** Returns tables for the report, and the problems. */
export function reportOfMismatch({ questions, others, byRun, byField }: MismatchResult): { lines: string[]; problems: string[] } {
  const table = (first: string, rows: [string, Hits][]): string[] => [
    `| ${first} | ${MISMATCH_DEPTHS.map((depth) => `@${depth}`).join(' | ')} |`,
    `|---|${'---|'.repeat(MISMATCH_DEPTHS.length)}`,
    ...rows.map(([name, found]) => `| ${name} | ${MISMATCH_DEPTHS.map((depth) => percent(found[depth])).join(' | ')} |`),
  ]
  const where = others === 0 ? 'alone in an instance' : `among ${others.toLocaleString('en')} other passages`
  const lines = [
    `Mismatch, ${questions} questions that share hardly a word with their answer, ${where}: the right passage among the first`,
    '',
    ...table(
      'mode',
      RUN_NAMES.map((run) => [run, byRun[run]]),
    ),
    '',
    ...table('field, reranked', Object.entries(byField)),
    '',
  ]
  const least = others === 0 ? MIN_BY_MEANING.alone : MIN_BY_MEANING.amongOthers
  // The goals are in whole percent, as they are shown.
  const problems = (['hybrid', 'reranked'] as const)
    .filter((run) => Math.round(byRun[run][5] * 100) < Math.round(least * 100))
    .map((run) => `mismatch ${where}: ${run} has ${percent(byRun[run][5])} among the first five, below ${percent(least)}`)
  if (byRun.keyword[5] >= MAX_BY_KEYWORD) {
    problems.push(`mismatch: keyword has ${percent(byRun.keyword[5])} among the first five: the questions share too many words`)
  }
  return { lines, problems }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
