import type { Clock } from '../core/clock.ts'
import type { IndexReading, LifecycleCheck } from '../lifecycle/lifecycle.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { RerankerState } from '../core/model.ts'
import type { Backups, ScheduleState } from './backup-source.ts'
import { type Access, type Actor, seesWholeInstance } from './access.ts'
import type { ProjectIds, Records } from '../records/records.ts'

export type HealthStatus = LifecycleCheck['status']

export interface HealthReport {
  status: HealthStatus
  uptimeSeconds: number
  database: { ok: boolean; message: string }
  /** Null for an instance in a data folder. */
  store: StoreCheck | null
  index: LifecycleCheck
  embedder: LifecycleCheck
  reranker: RerankerState
  queue: QueueState
  disk: DiskState
  originals: OriginalsState
  /** Null when the instance takes no backups by itself. */
  backup: BackupState | null
}

export type StoreCheck = Pick<LifecycleCheck, 'message'> & { status: 'ok' | 'degraded' }

export interface BackupState {
  status: 'ok' | 'degraded'
  message: string
  lastSuccessAt: Date | null
}

type QueueState =
  | Awaited<ReturnType<Ingest['status']>>
  // The queue could not be read, so its counts are unknown.
  | { status: 'degraded'; message: string; queued?: never; processing?: never; failed?: never }

/** Whether the files that users uploaded are whole. */
export interface OriginalsState {
  status: 'ok' | 'degraded'
  message: string
  /** How many are known to be damaged; null if the actor may not know, or if that is unknown. */
  damaged: number | null
  /** When the last scrub ended; null before the first one. */
  checkedAt: Date | null
}

export interface DiskState {
  /** True while there is room for uploads. */
  ok: boolean
  message: string
  freeBytes: number | null
  totalBytes?: number | null
}

/** Whether the instance works. Anyone may ask; http/ shows the details only to those with a credential. */
export interface Health {
  /**
   * Counts the documents that the actor may see. Only the owner of the instance gets numbers about the whole instance, with a credential that is not limited to projects. Never throws.
   */
  report(actor: Actor): Promise<HealthReport>
  /**
   * Returns a report about the whole instance that is at most a second old, so that many callers cost no more than one. Use it
   * for callers who see no numbers. Never throws.
   */
  recent(): Promise<HealthReport>
}

const RECENT_MS = 1_000

export interface HealthOptions {
  records: Pick<Records, 'check'>
  access: Pick<Access, 'toCount'>
  lifecycle: Pick<IndexReading, 'status'>
  ingest: Pick<Ingest, 'status'>
  /** Never throws. */
  disk(): Promise<DiskState>
  reranker(): RerankerState
  storeState(): StoreCheck | null
  /** Never throws. */
  originals(): Promise<OriginalsState>
  backups: Pick<Backups, 'status'>
  clock: Clock
  startedAt: Date
}

export function createHealth(options: HealthOptions): Health {
  const { records, access, lifecycle, ingest, disk, originals, reranker, storeState, backups, clock, startedAt } = options
  let last: { at: number; report: Promise<HealthReport> } | undefined

  /** Counts the documents of some projects, or by default of the whole instance. */
  async function report(projects?: ProjectIds): Promise<HealthReport> {
    const [database, { embedder, index }, queue, space, files, backup] = await Promise.all([
      records.check(),
      lifecycle.status(projects),
      queueState(ingest),
      disk(),
      originals(),
      backupState(backups, { now: clock.now(), startedAt }),
    ])
    const models = { index, embedder, reranker: reranker() }
    const checks = { database, store: storeState(), ...models, queue, disk: space, originals: files, backup }
    const uptimeSeconds = Math.max(0, Math.round((clock.now().getTime() - startedAt.getTime()) / 1000))
    const whole = { status: overallStatus(checks), uptimeSeconds, ...checks }
    if (projects === undefined) return whole
    return { ...whole, queue: await queueState(ingest, projects), disk: withoutNumbers(space), originals: withoutCount(files) }
  }

  return {
    report: async (actor) => report(seesWholeInstance(actor) ? undefined : (await access.toCount(actor)).ids),
    recent() {
      const now = clock.now().getTime()
      // An old report must not stay after the clock is set back.
      if (last === undefined || Math.abs(now - last.at) >= RECENT_MS) last = { at: now, report: report() }
      return last.report
    },
  }
}

/** Without a database or an index the instance can answer nothing. Any other fault only degrades it. */
function overallStatus(checks: Omit<HealthReport, 'status' | 'uptimeSeconds'>): HealthStatus {
  const { database, store, index, embedder, reranker, queue, disk, originals, backup } = checks
  if (!database.ok || index.status === 'unavailable') return 'unavailable'
  const others = [store, index, embedder, reranker, queue, originals, backup]
  const isFine = disk.ok && others.every((check) => check === null || check.status === 'ok')
  return isFine ? 'ok' : 'degraded'
}

/** A backup that is late by another whole period has failed more than once. */
const LATE_PERIODS = 2

async function backupState(backups: Pick<Backups, 'status'>, times: { now: Date; startedAt: Date }): Promise<BackupState | null> {
  try {
    const { schedule } = await backups.status()
    return schedule && scheduleState(schedule, times)
  } catch {
    return { status: 'degraded', message: 'The list of backups cannot be read.', lastSuccessAt: null }
  }
}

function scheduleState(
  { everyMs, last, lastSuccess }: ScheduleState,
  { now, startedAt }: { now: Date; startedAt: Date },
): BackupState {
  const lastSuccessAt = lastSuccess?.startedAt ?? null
  const since = lastSuccessAt ?? startedAt
  const isLate = now.getTime() - since.getTime() > LATE_PERIODS * everyMs
  const state = (message: string, status: BackupState['status'] = 'degraded') => ({ status, message, lastSuccessAt })
  if (last?.outcome === 'failed') return state('The last scheduled backup failed. See the server log.')
  if (isLate) return state('The scheduled backup is late. See the server log.')
  if (last?.outcome === 'partial') return state('The last scheduled backup lacks originals that are missing or damaged.')
  return state(
    lastSuccess === null ? 'The instance has not taken its first scheduled backup yet.' : 'The last scheduled backup succeeded.',
    'ok',
  )
}

function withoutNumbers({ ok }: DiskState): DiskState {
  const message = ok ? 'The disk has room for uploads.' : 'The disk is almost full. docsearch may refuse uploads soon.'
  return { ok, message, freeBytes: null, totalBytes: null }
}

function withoutCount({ status, checkedAt }: OriginalsState): OriginalsState {
  const message = status === 'ok' ? 'No original is known to be damaged.' : 'Originals are damaged. Their texts stay searchable.'
  return { status, message, damaged: null, checkedAt }
}

/** The queue is in the database. While that can't be read, health still has to answer; `database` says what is wrong. */
async function queueState(ingest: Pick<Ingest, 'status'>, projects?: ProjectIds): Promise<QueueState> {
  try {
    return await ingest.status(projects)
  } catch {
    return { status: 'degraded', message: 'The queue cannot be read.' }
  }
}
