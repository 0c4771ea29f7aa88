/** A copy of the database as it was at one moment, and what a backup has to know about it. */
export interface Snapshot {
  /** The names of the migrations that made its tables. */
  schema: string[]
  documents: number
  trashed: number
  /** The active index; null when there is none. */
  index: SnapshotIndex | null
  /** The originals of all documents, also of those in the trash. */
  originals: { sha256: string; size: number }[]
}

export interface SnapshotIndex {
  id: string
  embeddingModel: string
  dimensions: number
  fingerprint: string
}
