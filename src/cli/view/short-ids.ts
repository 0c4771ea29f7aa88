import { MIN_ID_SUFFIX } from '../../core/ids.ts'

const ID = /^[a-z]{3}_[0-9a-z]{26}$/

/**
 * Returns the shortest end of each id that no other id in the list has, of at least six characters. Commands accept it in place of the
 * id. Texts that are not ids stay as they are.
 */
export function shortIds(ids: readonly string[]): string[] {
  // Ids with the same end are neighbours when the reversed ids are sorted.
  const sorted = [...new Set(ids.filter((id) => ID.test(id)))].map(reversed).toSorted()
  const lengths = new Map<string, number>()
  sorted.forEach((id, i) => {
    const common = Math.max(commonLength(id, sorted[i - 1]), commonLength(id, sorted[i + 1]))
    lengths.set(reversed(id), Math.max(MIN_ID_SUFFIX, common + 1))
  })
  return ids.map((id) => id.slice(-(lengths.get(id) ?? id.length)))
}

function reversed(id: string): string {
  return [...id].toReversed().join('')
}

function commonLength(a: string, b = ''): number {
  let length = 0
  while (length < b.length && a[length] === b[length]) length++
  return length
}
