import type { Passage, StoredPassage } from '../core/passage.ts'
import type { IndexHealth } from './passage-index.ts'
import type { PhraseFilter } from '../text/phrase.ts'
import type { VectorLayout } from './segments/vectors/format.ts'

export interface RowOfPassage extends Pick<StoredPassage, 'id' | 'projectId'> {
  row: bigint
}

/** Called with the bytes of each part of a file that was read. May return a promise to slow down the reading. */
export type OnRead = (bytes: number) => void | Promise<void>

/** A file of a table that has changed since it was written. */
export interface DamagedFile {
  /** Relative to the folder of the tables. */
  file: string
  /** The rows in the file. Null if the file concerns the whole table. */
  rows: readonly bigint[] | null
}

export type TableHealth = Pick<IndexHealth, 'ok' | 'isUnavailable' | 'message' | 'passages'>

/**
 * The texts, vectors and metadata of all passages of an index. Segments can be built again from them. Only searches for phrases search the
 * table. A row ID always stands for the same passage: a stored passage never changes, and the ID of a removed row is never used again.
 *
 * Methods that read reject with `index_corrupt` when files are damaged, and `read` and `verify` with `DamagedTexts` when only some texts are. Methods that write reject with `disk_full` when the disk is full.
 */
export interface PassageTable {
  /** Stores passages in one commit and returns their row IDs, in the same order. */
  add(passages: readonly StoredPassage[]): Promise<bigint[]>
  /**
   * Removes rows. Ignores rows that no longer exist. While `optimize` compacts, this only hides the rows and deletes them from the disk
   * afterwards. If the process is killed before that, the rows are back after the next start.
   */
  remove(rows: readonly bigint[]): Promise<void>
  /** Makes visible what other processes stored before this call. Does nothing for a table that only this process uses. `read` does this by itself. */
  refresh(): Promise<void>
  /**
   * Returns passages through a cache. Rows that no longer exist are missing from the map.
   */
  read(rows: readonly bigint[]): Promise<Map<bigint, Passage>>
  /** Returns passages with their vectors, past the cache. Rows that no longer exist are missing. */
  readStored(rows: readonly bigint[]): Promise<StoredPassage[]>
  /** Yields every passage, or the passages of some projects, in batches of bounded size. A rebuild makes segments of them. */
  scan(where?: { projectIds?: readonly string[] }): AsyncIterable<{ row: bigint; passage: StoredPassage }[]>
  /** Returns the IDs of all rows, in ascending order. Takes 8 bytes for each row. */
  rowIds(): Promise<Float64Array>
  /** Yields every row in batches of bounded size, without texts and vectors. Takes much longer than `rowIds`. */
  rows(): AsyncIterable<RowOfPassage[]>
  /** Returns which of the rows have the phrases, in no particular order. Reads the texts of these rows. */
  rowsWithPhrases(rows: readonly bigint[], phrases: PhraseFilter): Promise<bigint[]>
  count(): Promise<number>
  /**
   * Compacts files and deletes old versions where that is worthwhile, one part after another. Takes seconds. Only `scan`, `rows`, `verify` and
   * `close` wait for it; the other methods go on.
   */
  optimize(): Promise<void>
  /** Says whether the table can be read. Takes the same time for any number of rows. Never rejects. */
  check(): Promise<TableHealth>
  /** Reads all rows completely, for half of the time, so that other work goes on meanwhile. `open` notices files that are missing, empty or cut off. */
  verify(signal?: AbortSignal): Promise<void>
  /** Starts to record a checksum of each file in the background. Call this once, before the first change. */
  recordChecksums(): Promise<void>
  /** Compares the bytes of all files in use with their checksums. Finds what `verify` can't see, such as a changed vector. */
  damagedFiles(onRead?: OnRead): Promise<DamagedFile[]>
  close(): Promise<void>
}

/** The tables of a data folder, one for each index record. */
export interface PassageTableStore {
  /**
   * Opens the table of an index, or creates it empty. Rejects with `index_corrupt` when files are damaged or have another layout: drop the
   * table and rebuild it.
   */
  open(index: { id: string; layout: VectorLayout }): Promise<PassageTable>
  /** Returns the IDs of all indexes that have a table. */
  list(): Promise<string[]>
  /** Returns the bytes on disk, 0 for an unknown index. */
  size(indexId: string): Promise<number>
  drop(indexId: string): Promise<void>
}
