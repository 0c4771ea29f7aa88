import type { PageOf, PageRequest } from '../../records/records.ts'

/** All of a list, for a page that shows all of it. */
export async function every<T>(list: (page: PageRequest) => Promise<PageOf<T>>): Promise<T[]> {
  const found: T[] = []
  let page: PageRequest = { limit: 100 }
  for (;;) {
    const { items, nextCursor } = await list(page)
    found.push(...items)
    if (nextCursor === null) return found
    page = { ...page, cursor: nextCursor }
  }
}
