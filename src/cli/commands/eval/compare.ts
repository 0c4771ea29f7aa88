import { usage } from '../../exit.ts'
import { MEASURES, type Measures, summarise } from './measures.ts'
import type { Answered, Comparison, Outcome } from './outcome.ts'

/** Reads an outcome that `--json` has printed. Throws DocsearchError `usage` for anything else. */
export function readBaseline(file: string, text: string): Outcome {
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
export function compare(now: readonly Answered[], before: readonly Answered[], maxDrop: number | null): Comparison | null {
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
