/** What the caller of `docsearch migrate` hears. */
export interface MigrateHooks {
  signal: AbortSignal
  /** Called with the number of bytes of originals that are at the new place, and of all. */
  onOriginals: (bytes: number, total: number) => void
  /** Called while the tables are copied. */
  onRecords: () => void
  /** Called with the number of passages that are at the new place. */
  onPassages: (passages: number) => void
}
