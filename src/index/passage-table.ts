import type { SearchFilter } from '../core/search-filter.ts'
import type { IndexedPassage, IndexHealth, Passage } from './chunk-index.ts'
import type { VectorLayout } from './segments/vectors/format.ts'

/** A passage without its words, which a rebuild analyses again. */
export type StoredPassage = Omit<IndexedPassage, 'terms' | 'titleTerms' | 'headingTerms' | 'nameTerms'>

export interface RowOfPassage extends Pick<StoredPassage, 'id' | 'projectId' | 'ownerId'> {
  row: bigint
}

/**
 * The texts, vectors and metadata of all passages of an index, from which segments can be built again. Nothing searches it, except for
 * phrases. A row ID is given once and keeps its passage: a passage never changes, and the ID of a removed row is never used again.
 *
 * A method that reads rejects with `index_corrupt` when it meets damaged files, one that writes with `disk_full` when the disk is full.
 */
export interface PassageTable {
  /** Stores passages in one commit and returns their row IDs, in the same order. */
  add(passages: readonly StoredPassage[]): Promise<bigint[]>
  /**
   * Removes rows. Ignores rows that no longer exist. While `optimize` compacts, the rows only disappear: they are deleted from the disk
   * afterwards, and if the process is killed before, they are there again.
   */
  remove(rows: readonly bigint[]): Promise<void>
  /**
   * Returns passages through a cache. Rows that no longer exist are missing from the map. Cuts texts that are longer than
   * `core/text-limits.ts` allows.
   */
  read(rows: readonly bigint[]): Promise<Map<bigint, Passage>>
  /** Yields every passage, or the passages of some projects, in batches of bounded size. Segments are built from them. */
  scan(where?: { projectIds?: readonly string[] }): AsyncIterable<{ row: bigint; passage: StoredPassage }[]>
  /** Yields every row in batches of bounded size, without texts and vectors. */
  rows(): AsyncIterable<RowOfPassage[]>
  /** Returns the rows that match a filter, in ascending order. Reads the texts of all rows that match the other conditions. */
  matchingRows(filter: SearchFilter): Promise<bigint[]>
  count(): Promise<number>
  /**
   * Compacts files and deletes old versions where that is worth it, one part after another. Takes seconds. Of the other methods, only `scan`,
   * `rows`, `verify` and `close` wait for it.
   */
  optimize(): Promise<void>
  /** Says whether the table answers. Takes the same time for any number of rows. Never rejects. */
  check(): Promise<Pick<IndexHealth, 'ok' | 'message' | 'passages'>>
  /** Reads every file completely. Slow, so run it in the background: `open` notices files that are missing, empty or cut off. */
  verify(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** The tables of a data folder, one for each index record. */
export interface PassageTableStore {
  /**
   * Opens the table of an index, or creates it empty. Converts a table of an earlier version first, which takes about a minute for each
   * million passages. Rejects with `index_corrupt` when files are damaged or have another layout: drop the table and rebuild it.
   */
  open(index: { id: string; layout: VectorLayout }): Promise<PassageTable>
  /** Returns the IDs of all indexes that have a table, also one of an earlier version. */
  list(): Promise<string[]>
  /** Returns the bytes on disk, 0 for an unknown index. */
  size(indexId: string): Promise<number>
  drop(indexId: string): Promise<void>
}
