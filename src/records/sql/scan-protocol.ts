import type { PageList } from '../../core/page-list.ts'

/** A query that returns one row with one text. */
export interface Scan {
  sql: string
  parameters: readonly unknown[]
}

export type ScanAnswer = { list: PageList } | { error: { message: string; errcode?: number } }
