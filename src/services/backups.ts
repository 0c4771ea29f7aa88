import type { BackupRun, Records } from '../records/records.ts'
import { requireAllScopes, requireOwner, type Actor } from './access.ts'
import type { BackupOptions, BackupSource, RunningBackup } from './backup-source.ts'

/** The backups that the instance takes by itself. */
export interface ScheduleState {
  everyMs: number
  /** The last backup of the schedule that succeeded. */
  lastSuccess: BackupRun | null
  last: BackupRun | null
}

export interface BackupStatus {
  isRunning: boolean
  /** The last backup of any kind that succeeded. */
  lastSuccess: BackupRun | null
  /** Null when the instance takes no backups by itself. */
  schedule: ScheduleState | null
}

/** Copies of everything that an instance has. */
export interface Backups {
  /**
   * Begins a backup, which is made while its stream is read. Only the owner of the instance may take one, with all scopes and without a limit,
   * because it has the documents of all users. Throws `owner_only`, `insufficient_scope`, `limited_to_projects` and `backup_running`.
   */
  create(actor: Actor, options: BackupOptions): Promise<RunningBackup>
  /** For health and metrics. */
  status(): Promise<BackupStatus>
}

interface Options {
  records: Pick<Records, 'backups'>
  source: Pick<BackupSource, 'start'>
  /** Null without a schedule. */
  everyMs: number | null
}

export function createBackups({ records: { backups }, source, everyMs }: Options): Backups {
  return {
    async create(actor, options) {
      requireOwner(actor)
      requireAllScopes(actor, 'a backup has everything that the instance has')
      return source.start('stream', options)
    },
    async status() {
      const [isRunning, lastSuccess] = await Promise.all([backups.isRunning(), backups.lastSuccess()])
      if (everyMs === null) return { isRunning, lastSuccess, schedule: null }
      const [last, success] = await Promise.all([backups.last('scheduled'), backups.lastSuccess('scheduled')])
      return { isRunning, lastSuccess, schedule: { everyMs, lastSuccess: success, last } }
    },
  }
}
