/** An original that documents, also those in the trash, refer to. */
export interface ExpectedOriginal {
  sha256: string
  sizeBytes: number
}

/** The parts of a document that a report needs. */
export interface InspectedDocument {
  id: string
  project: string
  path: string
}

export type DocumentWithOriginal = InspectedDocument & { projectId: string; sha256: string }

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
 * Reads a database without changing it, whether or not other processes use it. Every method throws `database_corrupt`, `data_readonly`
 * and the other errors that concern a whole database.
 */
export interface Inspection {
  /** Which version of docsearch wrote the tables, compared with this one. */
  version(): Promise<'same' | 'older' | 'newer'>
  /** Returns the time of the newest row, null for an empty database. */
  newestRow(): Promise<Date | null>
  /** Returns originals in the order of their hashes, after `after`. */
  originals(from: { after: string; limit: number }): Promise<ExpectedOriginal[]>
  /** Returns which of these originals a document refers to, even a document in the trash. */
  referenced(sha256s: readonly string[]): Promise<Set<string>>
  /** Returns the documents with this original, also those in the trash. */
  documentsWith(sha256: string): Promise<InspectedDocument[]>
  /** Returns the originals that are recorded as damaged. */
  markedOriginals(): Promise<string[]>
  /** Returns the ready documents that lack pages of their text, with their originals. */
  withoutText(): Promise<DocumentWithOriginal[]>
  /** Returns the documents with a stored page that differs from its checksum, with their originals. */
  withDamagedText(): Promise<DocumentWithOriginal[]>
  wrongCounts(): Promise<WrongCount[]>
  /** Returns how many words of vocabularies have the wrong number of documents, or are missing. */
  wrongWords(): Promise<number>
  indexes(): Promise<InspectedIndex[]>
  /** Returns what an index should hold: the documents with version and number of passages. */
  expected(index: InspectedIndex): Promise<Map<string, { version: number; chunks: number }>>
  /** Returns the secrets of all webhooks, as they are stored, with the webhooks that they belong to. */
  webhookSecrets(): Promise<{ id: string; project: string; sealed: string[] }[]>
  /** Returns the IDs of the documents whose passages belong in the index: all but the failed ones. */
  wantedIds(): Promise<Set<string>>
  /** Returns which of the documents the index should have no passages of, and which still wait to be deleted from it. */
  unwanted(documentIds: readonly string[]): Promise<{ unwanted: string[]; waiting: string[] }>
  /** Returns the documents with these IDs. */
  documents(ids: readonly string[]): Promise<InspectedDocument[]>
  /** Counts the rows that depend on nothing but the database, for a summary. */
  totals(): Promise<{ documents: number; ready: number; projects: number }>
  close(): Promise<void>
}

/** Also looks at the file of a SQLite database. */
export interface FileInspection extends Inspection {
  /**
   * Returns the faults that SQLite finds in the file; an empty list if there are none. `isThorough` also compares indexes with their
   * tables.
   */
  damage(isThorough: boolean): string[]
  /** Returns the number of rows with broken references, by table and the table that they refer to. */
  brokenReferences(): { table: string; refersTo: string; rows: number }[]
}

/** What `docsearch doctor --fix` changes in a database. Each method is one transaction. */
export interface Repairs {
  recount(): Promise<void>
  recountWords(): Promise<void>
  /** Makes the process that writes the index delete the passages of these documents. */
  markForDeletion(documentIds: readonly string[]): Promise<void>
  close(): Promise<void>
}
