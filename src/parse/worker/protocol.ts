import type { ErrorCode } from '../../core/errors.ts'
import type { Page } from '../../core/parsed.ts'
import type { PageQuestion, SentPageAnswer } from '../pdf/image/page-question.ts'
import type { ParserInput, ParseSummary } from '../parser.ts'

/** A message from the pool to a parser process. The pool sends the next one after the last answer. */
export interface Job extends ParserInput {
  id: number
  /**
   * `preflight` opens a PDF only to find out whether it needs a password. `page` answers a question about one page of a PDF.
   * `wrap` sends a picture as a PDF, in the pieces of an attachment.
   */
  task: 'parse' | 'preflight' | 'page' | 'wrap'
  /** Only for the task `page`. */
  question?: PageQuestion
}

/** A part of an attachment. The pieces of one attachment follow each other. */
export interface AttachmentPiece {
  name: string
  page: number
  /** In base64, because the channel sends JSON. */
  data: string
  isLast: boolean
}

/** The answers to a job: `started`, `open`, a `page` for each page and the pieces of attachments, or one `answer`, then `done` or `failed`. */
export type Answer = { id: number; rss: number } & (
  | { type: 'started' }
  | { type: 'open'; pageCount: number }
  | { type: 'page'; page: Page }
  | { type: 'answer'; answer: SentPageAnswer }
  | ({ type: 'attachment' } & AttachmentPiece)
  | { type: 'done'; summary: ParseSummary | null }
  | {
      type: 'failed'
      code: ErrorCode
      message: string
      details: Record<string, unknown>
      cause: string
      isProcessBroken: boolean
    }
)
