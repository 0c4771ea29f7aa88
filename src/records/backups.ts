import type { AuditDetails } from '../core/audit.ts'

/** Who takes a backup: a caller of the API, the schedule of the instance, or a command on the data folder. */
export type BackupKind = 'stream' | 'scheduled' | 'command_line'

/** `partial`: originals were missing or damaged, and the backup has everything else. */
export type BackupOutcome = 'running' | 'done' | 'partial' | 'failed'

export interface BackupRun {
  id: string
  kind: BackupKind
  outcome: BackupOutcome
  startedAt: Date
  /** Null while it runs. */
  finishedAt: Date | null
  /** What it wrote, without the originals that the target already had. */
  bytes: number
  documents: number
}

export interface FinishedBackup {
  outcome: 'done' | 'partial' | 'failed'
  bytes: number
  documents: number
}

/** How many runs are remembered. */
export const BACKUP_RUNS = 50

/**
 * The backups that were taken. One runs at a time, also over several processes: a run holds a lease, and no original is deleted meanwhile.
 * The lease of a process that was killed ends by itself.
 */
export interface Backups {
  /** Begins a run, which holds the lease until this time. Throws `backup_running`. */
  begin(kind: BackupKind, until: Date): Promise<string>
  /** Extends the lease. Returns false when the run has lost it. */
  renew(id: string, until: Date): Promise<boolean>
  /** Ends a run, and records `backup.create` unless it failed. Ignores a run that has ended. */
  finish(id: string, run: FinishedBackup): Promise<void>
  /** True while a run holds the lease. */
  isRunning(): Promise<boolean>
  /** Returns the last run of this kind, or of any, that was complete or partial; null when there is none. */
  lastSuccess(kind?: BackupKind): Promise<BackupRun | null>
  /** Returns the last run of this kind, or of any. */
  last(kind?: BackupKind): Promise<BackupRun | null>
  /** Forgets all runs and records `backup.restore`, in a database that comes from a backup. */
  restored(details: AuditDetails): Promise<void>
}

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
