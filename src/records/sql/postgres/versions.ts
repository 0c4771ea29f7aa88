import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { withDeadline } from '../../../core/deadline.ts'
import { currentMoment, nextInOrder } from '../../../core/moment.ts'
import type { SharedSubject } from '../../shared.ts'
import type { Tables } from '../tables.ts'
import type { CountedSubject } from './shared-tables.ts'

/** The longest time that a statement waits for the one before. */
const MAX_WAIT_MS = 1_000

type Kind = 'subject' | 'index'

/** What one statement has read. */
interface Reading {
  /** See `nextInOrder`. */
  began: number
  subjects: ReadonlyMap<string, number>
  commits: ReadonlyMap<string, number>
}

/**
 * Reads all versions with one statement: the number of changes of each subject, which triggers count, and the newest commit to each index. Callers
 * remember what they have read until its version changes. They ask for the version first and read afterwards, so what they remember may be newer
 * than the version, but never older.
 *
 * One statement runs at a time, and answers all callers that asked before it began. Within a `Moment`, it also answers later callers.
 */
export class DatabaseVersions {
  readonly #db: Kysely<Tables>
  #latest: Reading | null = null
  #running: { began: number; reading: Promise<Reading> } | null = null
  #next: Promise<Reading> | null = null

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  /** Returns the version of the subject. After a change of the subject, it differs from all earlier versions. */
  async of(subject: CountedSubject | SharedSubject): Promise<number> {
    const version = (await this.#read()).subjects.get(subject)
    // Without a version, nobody would notice a change.
    if (version === undefined) throw new Error(`the database has no version of ${subject}`)
    return version
  }

  /** Returns the number of the newest commit to an index; 0 if there was none. */
  async newestCommit(indexId: string): Promise<number> {
    return (await this.#read()).commits.get(indexId) ?? 0
  }

  #read(): Promise<Reading> {
    const moment = currentMoment()
    if (moment !== null) {
      if (this.#latest !== null && this.#latest.began > moment.began) return Promise.resolve(this.#latest)
      if (this.#running !== null && this.#running.began > moment.began) return this.#running.reading
    }
    return (this.#next ??= this.#begin())
  }

  /** Waits for the statement that is running, and begins another one. */
  async #begin(): Promise<Reading> {
    const before = this.#running
    // Waits at least until the caller has stored the promise, but not for long: a connection that hangs must not stop all requests.
    if (before === null) await Promise.resolve()
    else await withDeadline(MAX_WAIT_MS, undefined, () => before.reading).catch(() => {})
    this.#next = null
    const began = nextInOrder()
    const running = (this.#running = { began, reading: this.#ask(began) })
    try {
      const reading = await running.reading
      if (this.#latest === null || this.#latest.began < began) this.#latest = reading
      return reading
    } finally {
      if (this.#running === running) this.#running = null
    }
  }

  async #ask(began: number): Promise<Reading> {
    const { rows } = await sql<{ kind: Kind; name: string; version: number }>`
      select 'subject' as kind, subject as name, version from changes
      union all select 'index', index_id, number from index_commits`.execute(this.#db)
    const versions = (kind: Kind) => new Map(rows.filter((row) => row.kind === kind).map(({ name, version }) => [name, version]))
    return { began, subjects: versions('subject'), commits: versions('index') }
  }
}
