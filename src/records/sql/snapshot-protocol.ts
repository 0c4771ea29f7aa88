import type { Snapshot } from '../snapshot.ts'

/** What the thread that copies a database gets: the new file, and the file to copy, or null when the new file has its rows already. */
export interface SnapshotRequest {
  database: string | null
  copy: string
}

export type SnapshotAnswer = { snapshot: Snapshot } | { error: { message: string; errcode?: number } }
