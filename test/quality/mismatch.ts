import { fileURLToPath } from 'node:url'
import { jsonLines, RUN_NAMES, RUNS, type Run } from './collections.ts'
import { inParallel, type Instance } from './instance.ts'
import { mean } from './metrics.ts'

export const MISMATCH_DEPTHS = [3, 5, 10] as const
/** Share of the questions, 0 to 1, with a right passage among the first 3, 5 or 10 results. */
type Hits = Record<(typeof MISMATCH_DEPTHS)[number], number>

/** When keywords find a larger share among the first five, the questions share too many words with their passages to measure meaning. */
const MAX_BY_KEYWORD = 0.25
/** The share that hybrid and reranked search have to find among the first five. */
const MIN_BY_MEANING = 0.7

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

/** Measures whether search finds passages by meaning, with questions that share no word with their passage. Needs an empty instance. */
export async function measureMismatch(instance: Instance): Promise<MismatchResult> {
  const { passages, questions } = readMismatchSet()
  // File names have no meaning, because search may read them.
  await instance.load(
    'mismatch',
    passages.map((passage, i) => ({ name: `${i}.txt`, content: contentOf(passage) })),
  )
  const byRun = {} as MismatchResult['byRun']
  const byField: MismatchResult['byField'] = {}
  for (const run of RUN_NAMES) {
    const ranks = await inParallel(questions, 4, async ({ question, passages: right }) => {
      const request = { query: question, project: 'mismatch', ...RUNS[run], limit: 10, group_by: 'document' } as const
      const { results } = await instance.search(request)
      return results.findIndex(({ document }) => right.includes(passages[Number.parseInt(document.name)]!.id))
    })
    byRun[run] = hits(ranks)
    if (run !== 'reranked') continue
    for (const field of new Set(questions.map((question) => question.field))) {
      byField[field] = hits(ranks.filter((_, i) => questions[i]!.field === field))
    }
  }
  return { questions: questions.length, byRun, byField }
}

/** Takes places from 0, and -1 for a passage that was not found. */
function hits(ranks: readonly number[]): Hits {
  const rate = (depth: number): number => mean(ranks.map((rank) => (rank >= 0 && rank < depth ? 1 : 0)))
  return Object.fromEntries(MISMATCH_DEPTHS.map((depth) => [depth, rate(depth)])) as Hits
}

/** Returns tables for the report, and the problems. */
export function reportOfMismatch({ questions, byRun, byField }: MismatchResult): { lines: string[]; problems: string[] } {
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  const table = (first: string, rows: [string, Hits][]): string[] => [
    `| ${first} | ${MISMATCH_DEPTHS.map((depth) => `@${depth}`).join(' | ')} |`,
    `|---|${'---|'.repeat(MISMATCH_DEPTHS.length)}`,
    ...rows.map(([name, found]) => `| ${name} | ${MISMATCH_DEPTHS.map((depth) => percent(found[depth])).join(' | ')} |`),
  ]
  const lines = [
    `Mismatch, ${questions} questions that share hardly a word with their answer, in a separate instance: the right passage among the first`,
    '',
    ...table(
      'mode',
      RUN_NAMES.map((run) => [run, byRun[run]]),
    ),
    '',
    ...table('field, reranked', Object.entries(byField)),
    '',
  ]
  const problems = (['hybrid', 'reranked'] as const)
    .filter((run) => byRun[run][5] < MIN_BY_MEANING)
    .map((run) => `mismatch: ${run} has ${percent(byRun[run][5])} among the first five, below ${percent(MIN_BY_MEANING)}`)
  if (byRun.keyword[5] >= MAX_BY_KEYWORD) {
    problems.push(`mismatch: keyword has ${percent(byRun.keyword[5])} among the first five: the questions share too many words`)
  }
  return { lines, problems }
}
