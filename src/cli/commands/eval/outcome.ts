import type { Measures, Standing } from './measures.ts'
import type { SearchRequest } from '../../../contract/search.ts'
import type { Expected } from './questions.ts'

/** The result of a run: `--json` prints it, `--baseline` reads it. */
export interface Outcome {
  /** Version of this format. */
  eval: 1
  file: string
  settings: { mode: NonNullable<SearchRequest['mode']>; rerank: boolean; group: boolean; limit: number }
  measures: { document: Measures | null; page: Measures | null }
  questions: Answered[]
  failed: { line: number; query: string; code: string; message: string }[]
  /** Why searches ran with less than the settings asked for, and for how many questions. */
  fallbacks: { reason: string; questions: number }[]
  comparison: Comparison | null
}

export interface Answered {
  line: number
  query: string
  projects: string[]
  expect: Expected[]
  document: Standing
  page: Standing | null
  /** The first results that were not expected; empty when the first result was right. */
  instead: { rank: number; document: string; page: number }[]
  took_ms: number
}

export interface Comparison {
  /** Questions that both runs have. */
  questions: number
  /** Questions that only one run has. */
  others: number
  /** Over the questions of both runs. */
  document: { now: Measures; before: Measures }
  page: { now: Measures; before: Measures } | null
  /** The largest drop of any measure, 0 when none dropped. */
  drop: number
  max_drop: number | null
  /** The measure that dropped most, e.g. `document hit_5`. */
  dropped_most: string | null
}
