import type { PageOf, PageRequest } from '../../services/services.ts'

/** Returns all items of a list, for a page that shows all of them. */
export async function listAll<T>(list: (page: PageRequest) => Promise<PageOf<T>>): Promise<T[]> {
  const found: T[] = []
  let page: PageRequest = { limit: 100 }
  for (;;) {
    const { items, nextCursor } = await list(page)
    found.push(...items)
    if (nextCursor === null) return found
    page = { ...page, cursor: nextCursor }
  }
}
