import type { Kysely } from 'kysely'
import type { Logger } from '../../../core/logger.ts'
import type { ProjectIds } from '../../projects.ts'
import type { Tables } from '../tables.ts'
import { EVENTS_CHANNEL } from './engine.ts'
import type { PostgresServer } from './server.ts'

/** Notifications can be lost, so the watch also looks without one. */
const POLL_MS = 1000
/**
 * The watch reads at most once in this time, and without listeners at most once in `POLL_MS`. Otherwise, each process of a busy instance would read
 * several times for each document, and look for work each time.
 */
const PAUSE_MS = 50
/** After more events than this, the watch looks again. */
const MAX_EVENTS_READ = 1000

export interface EventListeners {
  /** Calls the listeners with the projects of new events. */
  wake(projects: ProjectIds): void
  areWaiting(): boolean
}

/**
 * Notices events that other processes have committed. After a notification, the watch reads which projects have new events. If
 * notifications arrive while it reads or pauses, it reads once more, no matter how many arrived.
 */
export class EventWatch {
  readonly #db: Kysely<Tables>
  readonly #log: Logger
  #seen = 0
  /** Events of this process, which its listeners know already. */
  readonly #own = new Set<number>()
  #looking: Promise<void> | undefined
  #isRung = false
  #isStopped = false
  #timer: NodeJS.Timeout | undefined
  #stopListening: (() => Promise<void>) | undefined
  #endPause: () => void = () => {}
  #listeners: EventListeners = { wake() {}, areWaiting: () => false }

  constructor(db: Kysely<Tables>, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** Calls `wake` with the projects of the events that other processes commit from now on. */
  async start(server: PostgresServer, listeners: EventListeners): Promise<void> {
    this.#listeners = listeners
    const row = await this.#db
      .selectFrom('events')
      .select((e) => e.fn.max('id').as('id'))
      .executeTakeFirst()
    this.#seen = row?.id ?? 0
    this.#stopListening = await server.listen(EVENTS_CHANNEL, () => this.#ring())
    this.#timer = setInterval(() => this.#ring(), POLL_MS).unref()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    this.#endPause()
    await this.#stopListening?.()
    await this.#looking
  }

  /** Call this when a listener begins to wait. */
  listenerAdded(): void {
    this.#endPause()
  }

  remember(eventIds: readonly number[]): void {
    for (const id of eventIds) if (id > this.#seen) this.#own.add(id)
  }

  #ring(): void {
    this.#isRung = true
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
  }

  async #look(): Promise<void> {
    while (this.#isRung && !this.#isStopped) {
      this.#isRung = false
      try {
        await this.#readNew()
      } catch (error) {
        // The next poll tries again.
        this.#log.warn({ err: error }, 'could not read new events')
      }
      if (!this.#isStopped) await this.#pause(this.#listeners.areWaiting() ? PAUSE_MS : POLL_MS)
    }
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#endPause = resolve
    const timer = setTimeout(resolve, ms)
    await promise
    clearTimeout(timer)
  }

  async #readNew(): Promise<void> {
    const rows = await this.#db
      .selectFrom('events')
      .select(['id', 'project_id'])
      .where('id', '>', this.#seen)
      .orderBy('id')
      .limit(MAX_EVENTS_READ)
      .execute()
    if (rows.length === MAX_EVENTS_READ) this.#isRung = true
    this.#seen = rows.at(-1)?.id ?? this.#seen
    const projects = new Set(rows.flatMap(({ id, project_id: project }) => (this.#own.has(id) ? [] : [project])))
    for (const id of this.#own) if (id <= this.#seen) this.#own.delete(id)
    if (projects.size > 0) this.#listeners.wake(projects)
  }
}
