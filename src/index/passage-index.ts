import type { IndexNumbers } from '../core/instance-numbers.ts'
import type { IndexedPassage, Passage, StoredPassage } from '../core/passage.ts'
import type { PhraseFilter } from '../text/phrase.ts'
import type { ProjectSegments, SegmentsListener } from './segments/store/project-segments.ts'

/** Raise it when a row's fields change or get another meaning. An index with another layout is rebuilt. */
export const INDEX_LAYOUT_VERSION = 3
/**
 * The layouts that this version can read and write, so that an index with one of them answers searches while it is rebuilt. When you raise the
 * version, keep what reads the layout of the last release.
 */
export const USABLE_INDEX_LAYOUTS: ReadonlySet<number> = new Set([3])

/** See `IndexedPassage` for the fields. */
export type StoredVector = Pick<IndexedPassage, 'version' | 'textHash' | 'vector'>

export interface DocumentPassages {
  documentId: string
  /** False when the index may hold an earlier version, which the same commit has to remove. */
  isNew: boolean
  passages: readonly IndexedPassage[]
}

export interface IndexHealth {
  ok: boolean
  /** True if the index does not answer because the object store does not. */
  isUnavailable?: boolean
  /** A sentence for users. */
  message: string
  /** Number of passages. Null when the index does not answer. */
  passages: number | null
  /** True while searches miss passages because damaged or missing files are being rebuilt. */
  isIncomplete: boolean
}

/** A file of an index that has changed since it was written. */
export interface DamagedIndexFile {
  /** Relative to the folder with the tables of all indexes. */
  file: string
  /** The documents with passages in the file. Null if the file concerns the whole index. */
  documents: string[] | null
}

/**
 * Searchable passages with their words and vectors. An index can always be rebuilt from records and blobs. test/conformance/passage-index.ts
 * tests what every implementation promises.
 */
export interface PassageIndex {
  /** Replaces the passages of all the given documents in one commit. */
  put(documents: readonly DocumentPassages[]): Promise<void>
  deleteDocuments(documentIds: readonly string[]): Promise<void>
  /**
   * Makes sure that searches find every change that any process has acknowledged before this call. Returns false if that is not possible now, because
   * the object store does not answer; searches then find what this process already knows. Never throws.
   */
  catchUp(): Promise<boolean>
  /** Returns the segments of every project. Search threads search them. */
  segments(): readonly ProjectSegments[]
  /**
   * Calls `listener` with each project whose segments change, before the change is acknowledged. A project without segments is gone.
   * Returns a function that removes the listener.
   */
  onSegmentsChange(listener: SegmentsListener): () => void
  /** Removes a damaged segment from searches, and builds it again later. Ignores a segment that the index no longer has. */
  leaveOut(segment: string): Promise<void>
  /** Returns passages by row. Rows that no longer exist are missing from the map, and so are damaged ones. */
  passages(rows: readonly bigint[]): Promise<Map<bigint, Passage>>
  /**
   * Returns the vectors of a document's passages by their index, with the hash of the text that each stands for. Empty for a document that the
   * index doesn't have.
   */
  vectors(documentId: string): Promise<Map<number, StoredVector>>
  /** Yields every passage with its vector, for a backup. Passages of documents that change meanwhile may be missing, or occur in two versions. */
  stored(): AsyncIterable<readonly StoredPassage[]>
  /** Says whether the texts of some of these rows turned out to be damaged when they were read. */
  hasDamagedTexts(rows: readonly bigint[]): boolean
  /**
   * Calls `listener` when texts turn out to be damaged. From then on, `inventory` lacks their documents, or rejects if the files can't be read.
   * Returns a function that removes the listener.
   */
  onDamage(listener: () => void): () => void
  /**
   * Reads all files with texts and vectors, and compares them with their checksums. Takes long for a large index: `onRead` is called with the bytes of each
   * part, and may return a promise to slow down the reading.
   */
  damagedFiles(onRead?: (bytes: number) => void | Promise<void>): Promise<DamagedIndexFile[]>
  /** Returns which of the rows have the phrases of a filter, which segments can't check. Reads the texts of these rows. Leaves out damaged ones. */
  rowsWithPhrases(rows: readonly bigint[], phrases: PhraseFilter): Promise<bigint[]>
  /**
   * Returns each document's version and number of passages, for recovery. Throws `index_corrupt` when files are damaged.
   */
  inventory(): Promise<Map<string, { version: number; chunks: number }>>
  countPassages(): Promise<number>
  /** Returns how large the index is, from memory. */
  numbers(): IndexNumbers
  /** Makes later searches faster and frees space. Searches find the same before and after. Slow, so ingest calls it only now and then. */
  optimize(): Promise<void>
  /** Says whether the index answers. Never throws. */
  check(): Promise<IndexHealth>
  close(): Promise<void>
}

/** The indexes of a data folder, one for each index record. */
export interface PassageIndexStore {
  /**
   * Opens the index with this id, or creates it empty. Throws `index_corrupt` for a damaged index: drop and rebuild it. `denseDimensions` says
   * how many dimensions, from the first one on, are mostly not 0. By default, these are all dimensions.
   */
  open(index: { id: string; dimensions: number; denseDimensions?: number }): Promise<PassageIndex>
  list(): Promise<string[]>
  /** Returns the bytes on disk, 0 for an unknown id. */
  size(indexId: string): Promise<number>
  drop(indexId: string): Promise<void>
}
