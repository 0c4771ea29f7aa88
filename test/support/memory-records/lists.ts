import { decodeCursor, resultPage } from '../../../src/records/result-page.ts'
import type { ListRequest, Position, ResultPage } from '../../../src/records/result-page.ts'

interface Dated {
  id: string
  createdAt: Date
}

/** What a list is sorted by. Items with equal values follow their ids. */
export interface Sorting<T> {
  kind: 'number' | 'string'
  order: 'asc' | 'desc'
  valueOf(item: T): string | number
}

const byTime = { kind: 'number', valueOf: ({ createdAt }: Dated) => createdAt.getTime() } as const
export const byNewest: Sorting<Dated> = { ...byTime, order: 'desc' }
export const byOldest: Sorting<Dated> = { ...byTime, order: 'asc' }

export const oldestFirst = (a: Dated, b: Dated): number => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)
export const newestFirst = (a: Dated, b: Dated): number => oldestFirst(b, a)

/** Sorts the items and returns the part that the request asks for. */
export function listPart<T extends { id: string }, P>(
  items: readonly T[],
  { kind, order, valueOf }: Sorting<NoInfer<T>>,
  { limit, cursor }: ListRequest,
  present: (item: T) => P,
): ResultPage<P> {
  const positionOf = (item: T) => ({ value: valueOf(item), id: item.id })
  const compare = (a: Position<string | number>, b: Position<string | number>) => {
    const [first, second] = order === 'asc' ? [a, b] : [b, a]
    return first.value < second.value || (first.value === second.value && first.id < second.id) ? -1 : 1
  }
  let rest = items.toSorted((a, b) => compare(positionOf(a), positionOf(b)))
  if (cursor !== undefined) {
    const last = kind === 'number' ? decodeCursor(cursor, kind) : decodeCursor(cursor, kind)
    rest = rest.filter((item) => item.id !== last.id && compare(positionOf(item), last) > 0)
  }
  return resultPage(rest, limit, positionOf, present)
}
