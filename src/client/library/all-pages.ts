/** Yields the entries of all result pages, and asks for the next one when it is needed. */
export async function* allPages<T>(
  load: (cursor: string | undefined) => Promise<{ entries: readonly T[]; next_cursor: string | null }>,
  first?: string,
): AsyncGenerator<T, void, undefined> {
  let cursor = first
  do {
    const { entries, next_cursor: next } = await load(cursor)
    yield* entries
    cursor = next ?? undefined
  } while (cursor !== undefined)
}
