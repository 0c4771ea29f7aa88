/** An original that documents, also those in the trash, refer to. */
export interface ExpectedOriginal {
  sha256: string
  sizeBytes: number
}

/** A document, as far as a report needs it. */
export interface InspectedDocument {
  id: string
  project: string
  path: string
}

export interface InspectedIndex {
  id: string
  state: 'active' | 'building' | 'retired'
  embeddingModel: string
  dimensions: number
}

/** A number that the database stores and that differs from what it counts. */
export interface WrongCount {
  /** The table, such as `usage`. */
  table: 'document_counts' | 'folder_counts' | 'usage' | 'queue_turns'
  rows: number
}

/**
 * Reads a database without changing it, next to a daemon or without one. Every method throws `database_corrupt`, `data_readonly` and the other
 * errors of a database as a whole.
 */
export interface Inspection {
  /** Which version of docsearch wrote the tables, compared with this one. */
  version(): 'same' | 'older' | 'newer'
  /** Returns what SQLite finds wrong with the file, none if it is whole. `isThorough` also compares indexes with their tables. */
  damage(isThorough: boolean): string[]
  /** Returns the number of rows with broken references, by table and the table that they refer to. */
  brokenReferences(): { table: string; refersTo: string; rows: number }[]
  /** Returns the time of the newest row, null for an empty database. */
  newestRow(): Date | null
  originals(): ExpectedOriginal[]
  /** Returns the documents with this original, also those in the trash. */
  documentsWith(sha256: string): InspectedDocument[]
  /** Returns the originals that are recorded as damaged. */
  markedOriginals(): string[]
  /** Returns the ready documents that lack pages of their text, with their originals. */
  withoutText(): (InspectedDocument & { projectId: string; sha256: string })[]
  /** Returns the documents with a stored page that differs from its checksum, with their originals. */
  withDamagedText(): (InspectedDocument & { projectId: string; sha256: string })[]
  wrongCounts(): WrongCount[]
  /** Returns how many words of vocabularies have the wrong number of documents, or are missing. */
  wrongWords(): number
  indexes(): InspectedIndex[]
  /** Returns what an index should hold: the documents with version and number of passages. */
  expected(index: InspectedIndex): Map<string, { version: number; chunks: number }>
  /** Returns the secrets of all webhooks, as they are stored, with the webhooks that they belong to. */
  webhookSecrets(): { id: string; project: string; sealed: string[] }[]
  /** Returns the IDs of the documents whose passages belong in the index: all but the failed ones. */
  wantedIds(): Set<string>
  /** Returns which of the documents the index should have no passages of, and which still wait to be deleted from it. */
  unwanted(documentIds: readonly string[]): { unwanted: string[]; waiting: string[] }
  /** Returns the documents with these IDs. */
  documents(ids: readonly string[]): InspectedDocument[]
  /** Counts the rows that depend on nothing but the database, for a summary. */
  totals(): { documents: number; ready: number; projects: number }
  close(): void
}

/** What `docsearch doctor --fix` changes in a database. Each method is one transaction. */
export interface Repairs {
  recount(): void
  recountWords(): void
  /** Makes the daemon delete the passages of these documents from the index. */
  markForDeletion(documentIds: readonly string[]): void
  close(): void
}
