import type { ListRequest, ResultPage } from '../../services/services.ts'

/** Returns all items of a list, for a view that shows all of them. */
export async function listAll<T>(list: (request: ListRequest) => Promise<ResultPage<T>>): Promise<T[]> {
  const found: T[] = []
  let request: ListRequest = { limit: 100 }
  for (;;) {
    const { items, nextCursor } = await list(request)
    found.push(...items)
    if (nextCursor === null) return found
    request = { ...request, cursor: nextCursor }
  }
}
