import type { UnrelatedSimilarity } from '../core/noise.ts'
import type { DocumentRecord, DocumentWarning } from '../core/model.ts'
import type { ProjectIds } from './projects.ts'
import type { JobRef } from './queue.ts'

/**
 * An index and the embedder whose vectors it holds. Searches ask the active index. A building index is filled and then becomes
 * the active one. A retired index was active before, and stays so that switching back to its embedder is quick.
 */
export interface IndexRecord {
  id: string
  fingerprint: string
  embeddingModel: string
  dimensions: number
  state: 'active' | 'building' | 'retired'
  createdAt: Date
}

export type NewIndex = Pick<IndexRecord, 'fingerprint' | 'embeddingModel' | 'dimensions'>

/** What the index's model returned for texts of docsearch's own. */
export interface ModelMeasurements {
  /** The vectors of the canary texts. */
  canaries: readonly Float32Array[]
  /** Null when an earlier version of docsearch began the index. */
  unrelatedSimilarity: UnrelatedSimilarity | null
}

/** What an index holds of a document. */
export interface IndexedDocument extends JobRef {
  /** Number of passages; null when the index's embedder could not embed the document. */
  chunks: number | null
  chunksSkipped: number
  /** The warnings that embedding caused; see `isEmbeddingWarning`. */
  warnings: readonly DocumentWarning[]
}

/** True for a warning that depends on the embedder, so that another index may not have it. */
export function isEmbeddingWarning({ code }: DocumentWarning): boolean {
  return code === 'chunk_not_embedded'
}

/** What an index holds of the ready documents that have passages. */
export interface IndexProgress {
  /** Documents that the index holds, and all that it needs. */
  done: number
  total: number
  /** Passages of the former, and of all: those that are still to come are counted as the active index has cut them. */
  passagesDone: number
  passagesTotal: number
}

/** How fast an index is being built. */
export interface BuildSpeed {
  /** How many passages the index had when the measurement began, plus those that the model has embedded since then. */
  embedded: number
  /** How fast the model embeds. Null until this is measured. */
  tokensPerSecond: number | null
  /** An earlier moment, and how many passages were done then. */
  since: { secondsAgo: number; passages: number }
}

/**
 * The indexes and what each holds. For the active index the documents' own rows say what it holds; for the others, these records
 * do. Deleting a document deletes it from all of them.
 */
export interface Indexes {
  active(): Promise<IndexRecord | null>
  /** Oldest first. */
  all(): Promise<IndexRecord[]>
  /** Makes a new index the active one and forgets the one before. Other indexes stay. */
  activate(index: NewIndex): Promise<IndexRecord>
  /** Makes a new building index and forgets the one before. */
  build(index: NewIndex): Promise<IndexRecord>
  /**
   * Turns a retired index into the building one, and forgets the building one before. Returns null when the index is not retired.
   */
  resume(id: string): Promise<IndexRecord | null>
  drop(id: string): Promise<void>
  /** Forgets all indexes, so that the next start rebuilds. The chosen embedder stays chosen. */
  clear(): Promise<void>
  /** Returns what was measured when the index was begun, or null when nothing is stored. */
  measurements(id: string): Promise<ModelMeasurements | null>
  setMeasurements(id: string, measurements: ModelMeasurements): Promise<void>
  /**
   * Returns ready documents that have passages and that the index lacks or has in another version: in order of their ids, after
   * `after`.
   */
  missing(id: string, from: { after: string; limit: number }): Promise<DocumentRecord[]>
  /** Returns the ids of the documents that are ready in the version that the job names. */
  wanted(jobs: readonly JobRef[]): Promise<Set<string>>
  /** Records that the index holds these documents. Ignores documents that were deleted meanwhile. */
  record(id: string, documents: readonly IndexedDocument[]): Promise<void>
  /** Returns version and number of passages of each document in the index, without documents that could not be embedded. */
  contents(id: string): Promise<Map<string, { version: number; chunks: number }>>
  /** Records that the index no longer holds these documents. */
  forget(id: string, documentIds: readonly string[]): Promise<void>
  /** Counts what the index holds and needs: of some projects, or of all. */
  progress(id: string, projects?: ProjectIds): Promise<IndexProgress>
  /** Counts the passages that the index holds of the ready documents of some projects. */
  countPassages(id: string, projects: ProjectIds): Promise<number>
  /**
   * Makes the building index the active one, in one transaction: the documents' rows say what the new index holds, and the index
   * that was active is retired, or forgotten when it has the same embedder. Documents that the new embedder could not embed are
   * queued again. Returns false, and changes nothing, while the new index lacks documents. With `waitForReplaced` it also waits
   * for documents that are being replaced and would be found in the old index but not in the new one. Afterwards, documents that
   * another version of the parsers has read are queued again; until they are read, the new index answers with what it has.
   */
  switchTo(id: string, options: { waitForReplaced: boolean; parserVersion: number }): Promise<boolean>
  /**
   * Gives an index another fingerprint, and queues the ready documents that another version of the parsers has read. Returns how many.
   */
  adopt(id: string, change: { fingerprint: string; parserVersion: number }): Promise<number>
  /** Returns the embedder that a user chose while the instance ran, or null. */
  chosen(): Promise<string | null>
  choose(embedder: string | null): Promise<void>
}
