import type { ErrorCode } from '../../core/errors.ts'
import type { Page } from '../../core/parsed.ts'
import type { ParserInput, ParseSummary } from '../parser.ts'

/** What the pool asks of a parser process, one job at a time. */
export interface Job extends ParserInput {
  id: number
  /** `preflight` opens a PDF to see whether it needs a password, and reads nothing. */
  task: 'parse' | 'preflight'
}

/** What a parser process answers: `started`, `open` and `page` as it goes, then `done` or `failed`. */
export type Answer = { id: number; rss: number } & (
  | { type: 'started' }
  | { type: 'open'; pageCount: number }
  | { type: 'page'; page: Page }
  | { type: 'done'; summary: ParseSummary | null }
  | { type: 'failed'; code: ErrorCode; message: string; details: Record<string, unknown>; cause: string; spent: boolean }
)
