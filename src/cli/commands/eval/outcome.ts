import type { Measures, Standing } from './measures.ts'
import type { Expected } from './questions.ts'

/** What `--json` prints, and `--baseline` reads. */
export interface Outcome {
  /** Of this shape; raised when it changes. */
  eval: 1
  file: string
  settings: { mode: string; rerank: boolean; group: boolean; limit: number }
  measures: { document: Measures | null; page: Measures | null }
  questions: Answered[]
  failed: { line: number; query: string; code: string; message: string }[]
  /** Where the answers fell back to less than was asked for: the reason, and how often. */
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
  /** First what came instead of what was expected; empty when the first result was right. */
  instead: { rank: number; document: string; page: number }[]
  took_ms: number
}

export interface Comparison {
  /** Questions that both runs have. */
  questions: number
  /** Questions of either run that the other has not. */
  others: number
  /** Now and then, over the questions of both. */
  document: { now: Measures; before: Measures }
  page: { now: Measures; before: Measures } | null
  /** The largest drop of any measure, 0 when none dropped. */
  drop: number
  max_drop: number | null
  /** The measure that dropped most, e.g. `document hit_5`. */
  dropped_most: string | null
}
