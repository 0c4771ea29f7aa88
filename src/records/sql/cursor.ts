import { z } from 'zod'
import { DocsearchError } from '../../core/errors.ts'
import type { PageOf } from '../records.ts'

/** Where the page before ended: the sorting value and the id of its last row. */
export interface Position<V extends string | number> {
  value: V
  id: string
}

const schemas = {
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
    throw invalid(error)
  }
  const parsed = schemas[kind].safeParse(json)
  if (!parsed.success) throw invalid(parsed.error)
  return { value: parsed.data[0], id: parsed.data[1] }
}

function invalid(cause: unknown): DocsearchError {
  return new DocsearchError(
    'invalid_cursor',
    'The cursor is not one of ours. Take `next_cursor` of the answer before, unchanged.',
    { cause },
  )
}

/** Rows were asked for one beyond the limit: that one says whether there is a further page. */
export function pageOf<R, T>(
  rows: R[],
  limit: number,
  position: (row: R) => Position<string | number>,
  present: (row: R) => T,
): PageOf<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const more = rows.length > limit && last !== undefined
  return { items: shown.map(present), nextCursor: more ? encode(position(last)) : null }
}

function encode({ value, id }: Position<string | number>): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url')
}
