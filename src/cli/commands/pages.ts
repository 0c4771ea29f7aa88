const PAGE_SIZE = 100

/** Every item of a list over all its result pages, or the first `limit`. */
export async function collectPages<T>(
  limit: number | undefined,
  fetchPage: (page: { limit: number; cursor?: string }) => Promise<{ items: T[]; next: string | null }>,
): Promise<T[]> {
  const items: T[] = []
  const wanted = limit ?? Infinity
  let cursor: string | null = null
  do {
    const page = await fetchPage({ limit: Math.min(PAGE_SIZE, wanted - items.length), ...(cursor === null ? {} : { cursor }) })
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== null && items.length < wanted)
  return items
}
