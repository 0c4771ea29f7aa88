import type { Snapshot } from '../snapshot.ts'

/** What the thread that copies a database gets: the file to copy, and the new file. */
export interface SnapshotRequest {
  database: string
  copy: string
}

export type SnapshotAnswer = { snapshot: Snapshot } | { error: { message: string; errcode?: number } }
