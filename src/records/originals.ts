import type { OriginalDamage } from '../core/model.ts'

export interface DamagedOriginal {
  sha256: string
  damage: OriginalDamage
  foundAt: Date
}

/** How far the scrub has come. It reads the originals in the order of their hashes. */
export interface ScrubProgress {
  /** When this round began. */
  startedAt: Date
  /** The last original that was read; null at the beginning of a round. */
  after: string | null
  /** How many originals this round has read. */
  checked: number
  /** When the last round ended; null before the end of the first one. */
  finishedAt: Date | null
}

/** The uploaded files that the records know. Each file counts once, even if several documents have it. */
export interface Originals {
  /** Returns originals of documents, also of those in the trash, in the order of their hashes, after `after`. */
  list(from: { after: string | null; limit: number }): Promise<{ sha256: string; sizeBytes: number }[]>
  /** Returns how many originals there are, and their bytes. */
  totals(): Promise<{ originals: number; bytes: number }>
  /** Returns the damaged originals that documents still have, also documents in the trash. */
  damaged(): Promise<DamagedOriginal[]>
  /** Returns which of these originals are damaged. */
  damagedAmong(sha256s: readonly string[]): Promise<Set<string>>
  /** Records that an original is damaged, and adds a warning to its documents. */
  markDamaged(sha256: string, damage: OriginalDamage): Promise<void>
  /** Records that an original is intact, and removes the warning. Costs little when it was not damaged. */
  markIntact(sha256: string): Promise<void>
  progress(): Promise<ScrubProgress | null>
  saveProgress(progress: ScrubProgress): Promise<void>
}
