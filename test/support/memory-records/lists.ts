import { decodeCursor, resultPage } from '../../../src/records/result-page.ts'
import type { ListRequest, ResultPage } from '../../../src/records/result-page.ts'

interface Dated {
  id: string
  createdAt: Date
}

type Order = (a: Dated, b: Dated) => number

export const oldestFirst: Order = (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)
export const newestFirst: Order = (a, b) => oldestFirst(b, a)

/** Sorts the items and returns the part that the request asks for. */
export function listPart<T extends Dated, P>(
  items: readonly T[],
  order: Order,
  { limit, cursor }: ListRequest,
  present: (item: T) => P,
): ResultPage<P> {
  let rest = items.toSorted(order)
  if (cursor !== undefined) {
    const { value, id } = decodeCursor(cursor, 'number')
    const last = { id, createdAt: new Date(value) }
    rest = rest.filter((item) => item.id !== id && order(item, last) > 0)
  }
  return resultPage(rest, limit, (item) => ({ value: item.createdAt.getTime(), id: item.id }), present)
}
