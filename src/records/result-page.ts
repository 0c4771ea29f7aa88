import { z } from 'zod'
import { DocsearchError } from '../core/errors.ts'

/**
 * Which part of a list to return. A cursor comes from the answer before; callers don't look inside. Other cursors throw
 * `invalid_cursor`.
 */
export interface ListRequest {
  limit: number
  cursor?: string | undefined
}

export interface ResultPage<T> {
  items: T[]
  nextCursor: string | null
}

/** Where a part of a list ended: the value the list is sorted by, and the id, of its last item. */
export interface Position<V extends string | number> {
  value: V
  id: string
}

const SCHEMAS = {
  number: z.tuple([z.int(), z.string()]),
  string: z.tuple([z.string(), z.string()]),
}

export function decodeCursor(cursor: string, kind: 'number'): Position<number>
export function decodeCursor(cursor: string, kind: 'string'): Position<string>
export function decodeCursor(cursor: string, kind: 'number' | 'string'): Position<string | number> {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch (error) {
    throw invalidCursor(error)
  }
  const parsed = SCHEMAS[kind].safeParse(json)
  if (!parsed.success) throw invalidCursor(parsed.error)
  return { value: parsed.data[0], id: parsed.data[1] }
}

export function invalidCursor(cause?: unknown): DocsearchError {
  return new DocsearchError('invalid_cursor', 'The cursor is not valid. Use `next_cursor` from the previous answer, unchanged.', {
    cause,
  })
}

/** Presents up to `limit` rows. The caller asks for one row more than the limit: when that one exists, there is a next cursor. */
export function resultPage<R, T>(
  rows: R[],
  limit: number,
  position: (row: R) => Position<string | number>,
  present: (row: R) => T,
): ResultPage<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { items: shown.map(present), nextCursor: hasMore ? encodeCursor(position(last)) : null }
}

function encodeCursor({ value, id }: Position<string | number>): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url')
}
