/** Reports the progress of a move to its caller. */
export interface MigrateHooks {
  signal: AbortSignal
  /** Called with the number of bytes of originals at the new place, and of all originals. */
  onOriginals: (bytes: number, total: number) => void
  /** Called while the tables are copied. */
  onRecords: () => void
  /** Called with the number of passages that are at the new place. */
  onPassages: (passages: number) => void
}
