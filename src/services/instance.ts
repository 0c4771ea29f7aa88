import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import { isOwner, requireAdministrator, type Access, type Actor } from './access.ts'
import type { Health, HealthReport, HealthStatus } from './health.ts'
import type { Models, ModelsState } from './models.ts'

/** What the bar of every view says about the instance. */
export interface Glance {
  /** What concerns the actor; null until the first report. */
  health: HealthStatus | null
  /** The actor's documents that no search finds yet. */
  pending: number
}

/** How much the parts of the data folder need, in bytes. Null if it can't be measured. */
export interface Storage {
  folder: string
  database: number | null
  pageImages: number | null
  free: number | null
  total: number | null
}

/** In bytes. */
export interface Memory {
  /** The memory of the main process. Parsers are processes of their own. */
  resident: number
  heap: number
  /** The setting `search.memory_mb`. */
  forSearch: number
}

export interface InstanceReport {
  health: HealthReport
  models: ModelsState
  /** The sizes of `storage`, with what the database knows. `originals` counts each copy of a file, as quotas do. */
  storage: Storage & { indexes: number; originals: number }
  memory: Memory
  users: { all: number; disabled: number }
  documents: number
}

/** The state of the instance, for its owner and for the bar of every view. */
export interface Instance {
  /** Answers from memory, from a report that is at most a few seconds old, so that every view can ask. Never throws. */
  glance(actor: Actor): Promise<Glance>
  /** Returns the report that `glance` uses. Null until the first report. */
  latestHealth(): HealthReport | null
  /** Throws `owner_only`, `insufficient_scope` and `limited_to_projects`. */
  report(actor: Actor, signal: AbortSignal): Promise<InstanceReport>
}

/** How old the report may be before the next view has a new one made. No view waits for it. */
const FRESH_MS = 10_000

interface Options {
  records: Pick<Records, 'users' | 'documents'>
  access: Pick<Access, 'toCount'>
  health: Health
  models: Pick<Models, 'list'>
  storage(): Promise<Storage>
  memory(): Memory
  clock: Clock
  log: Logger
}

export function createInstance(options: Options): Instance {
  const { records, access, health, models, storage, memory, clock, log } = options
  const latest = new Remembered({ read: () => health.recent(), forMs: FRESH_MS, clock, log, what: 'the state of the instance' })

  async function pending(actor: Actor): Promise<number> {
    return records.documents.countPending((await access.toCount(actor)).ids)
  }

  return {
    async glance(actor) {
      const report = latest.get()
      try {
        return { health: report && (isOwner(actor) ? report.status : memberStatus(report)), pending: await pending(actor) }
      } catch (error) {
        // The view itself says what is wrong.
        log.warn({ err: error }, 'documents in progress could not be counted')
        return { health: 'unavailable', pending: 0 }
      }
    },

    latestHealth: () => latest.get(),

    async report(actor, signal) {
      requireAdministrator(actor)
      const [healthNow, modelsNow, sizes, totals] = await Promise.all([
        health.report(actor),
        models.list(actor, signal),
        storage(),
        records.users.totals(),
      ])
      const { documents, bytes, users, disabled } = totals
      const indexes = modelsNow.models.flatMap((model) => model.indexes).reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0)
      return {
        health: healthNow,
        models: modelsNow,
        storage: { ...sizes, indexes, originals: bytes },
        memory: memory(),
        users: { all: users, disabled },
        documents,
      }
    },
  }
}

/** Members learn whether searches and uploads work. The queue of all users is the owner's business. */
function memberStatus({ database, index, embedder, reranker, disk }: HealthReport): HealthStatus {
  if (!database.ok || index.status === 'unavailable') return 'unavailable'
  return disk.ok && [index, embedder, reranker].every(({ status }) => status === 'ok') ? 'ok' : 'degraded'
}

interface RememberedOptions<T> {
  read(): Promise<T>
  /** How old a value may be before the next caller has a new one read. */
  forMs: number
  clock: Clock
  log: Logger
  /** What the value is about, for the log. */
  what: string
}

/** A value that takes long to read. Callers get the latest one at once, and an old one is replaced in the background. */
export class Remembered<T> {
  #value: T | null = null
  #askedAt = Number.NEGATIVE_INFINITY
  readonly #options: RememberedOptions<T>

  constructor(options: RememberedOptions<T>) {
    this.#options = options
  }

  /** Returns null until the first value has been read. */
  get(): T | null {
    const { read, forMs, clock, log, what } = this.#options
    const now = clock.now().getTime()
    // An old value must not stay after the clock is set back.
    if (Math.abs(now - this.#askedAt) < forMs) return this.#value
    this.#askedAt = now
    read().then(
      (value) => (this.#value = value),
      (error: unknown) => log.warn({ err: error }, `${what} could not be read`),
    )
    return this.#value
  }
}
