import type { PassageIndex } from '../index/passage-index.ts'

/** By document: the version, and the number of its passages. */
export type IndexContents = ReadonlyMap<string, { version: number; chunks: number }>

export interface IndexRecords {
  /** What the index should hold. */
  expected(): Promise<IndexContents>
  /** The index lacks these documents, or has them in another version or with other passages. */
  onMissing(documentIds: readonly string[]): Promise<void>
  /** Returns the ids whose passages the index should not have. */
  unknown(documentIds: readonly string[]): Promise<string[]>
}

/**
 * Makes an index and its records agree: reports the documents that the index lacks, and deletes those it should not have. Returns the ids of the
 * documents whose passages may be in the index. Nothing may write to the index meanwhile.
 */
export async function reconcileIndex(index: PassageIndex, records: IndexRecords): Promise<Set<string>> {
  const found = await index.inventory()
  await records.onMissing(missingFrom(found, await records.expected()))
  const unknown = await records.unknown([...found.keys()])
  if (unknown.length > 0) await index.deleteDocuments(unknown)
  return new Set(found.keys())
}

/** Returns the documents that are not in the index as expected. A document without passages need not be there. */
export function missingFrom(found: IndexContents, expected: IndexContents): string[] {
  return [...expected].flatMap(([id, { version, chunks }]) => {
    const there = found.get(id)
    const isMissing = there === undefined ? chunks > 0 : there.version !== version || there.chunks !== chunks
    return isMissing ? [id] : []
  })
}
