import type { Styled } from './view/safe.ts'

/** What `draw` shows below the line in which the user types. */
export interface Browsed<T> {
  items: readonly T[]
  /** Index of the selected item. */
  selected: number
  /** A remark about the items, such as a corrected query, or the error of the last search. */
  note: string
  isError: boolean
  /** True while there is nothing to search for. */
  isEmpty: boolean
}

export interface Size {
  columns: number
  rows: number
}

export interface Browse<T> {
  message: string
  /** Finds the items for what the user typed. The signal aborts when the user has typed more. */
  find(query: string, signal: AbortSignal): Promise<{ items: readonly T[]; note: string }>
  /** Returns at most `size.rows` lines of at most `size.columns` columns. */
  draw(browsed: Browsed<T>, size: Size): Styled
}
