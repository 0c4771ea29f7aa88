/** What `docsearch migrate --json` prints. */
export interface Migrated {
  /** The places, as the user named them. An address of a database has no password. */
  from: string
  to: string
  documents: number
  trashed: number
  /** The number of originals at the new place, and their bytes. */
  originals: number
  bytes: number
  /** Originals that the old place lacks, or that are damaged there, by their SHA-256. */
  missing: string[]
  /** Whether the search index was copied. Otherwise the instance builds it again. */
  index: { state: 'copied'; passages: number } | { state: 'rebuilt'; reason: string }
}
