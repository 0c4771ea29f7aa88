import { sql } from 'kysely'
import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { AuditFact } from '../../core/audit.ts'
import type { Clock } from '../../core/clock.ts'
import type { DocumentEvent } from '../../core/model.ts'
import type { PageList } from '../../core/page-list.ts'
import type { ProjectIds } from '../projects.ts'
import { describeFact, insertFacts, type NewFact } from './audit-record.ts'
import type { Engine, WriteMode } from './engine.ts'
import { nextId } from './per-dialect.ts'
import type { ScanTurn } from './scan-thread.ts'
import type { DocumentRow, EventRow, Tables } from './tables.ts'
import { addMessages } from './webhook-messages.ts'

/** A statement of SQLite has at most 32,766 parameters, one of PostgreSQL 65,535. Long lists go into several statements. */
const MAX_PARAMETERS = 30_000

/**
 * Lets other shared transactions run at the same time, on a database that can. Such a transaction locks what it reads before it changes it
 * (`Engine.lockOwners`, `findWanted`). Without this, a transaction runs alone, so that nothing changes between what it reads and what it writes.
 */
export const SHARED = { isShared: true }
const ALONE = { isShared: false }

type EventListener = (projects: ProjectIds) => void

/** What every noun works on: the tables, the time, and transactions that wake listeners afterwards. */
export interface Store {
  db: Kysely<Tables>
  clock: Clock
  /** Milliseconds since 1970. */
  now(): number
  engine: Engine
  /**
   * Runs a transaction, by default while no other one writes. After the commit it calls the listeners with the projects whose documents it
   * announced. The work may run several times, so it changes nothing but the database.
   */
  write<T>(work: (tx: WriteTransaction) => Promise<T>, mode?: typeof SHARED): Promise<T>
  /**
   * Like `write`, for a step of work that is repeated when a power cut undoes it. The change is on disk only with the next `write`. That saves
   * the main thread from waiting for the disk.
   */
  writeStep<T>(work: (tx: WriteTransaction) => Promise<T>, mode?: typeof SHARED): Promise<T>
  /** Runs a query that reads many rows, without blocking the main thread. The query returns one row with a `PageList` as text, or with null. */
  scan(query: RawBuilder<{ list: string | null }>, turn: ScanTurn): Promise<PageList>
  /** Calls the listeners, for changes by other processes. */
  wake(projects: ProjectIds): void
  hasListeners(): boolean
  subscribe(listener: EventListener): () => void
  /** Returns a number that is larger than before if documents or projects may have changed, in this process or another one. */
  documentsVersion(): number | Promise<number>
  /** Like `documentsVersion`, for the members of projects. */
  membersVersion(): number | Promise<number>
}

export interface WriteTransaction {
  sql: Transaction<Tables>
  engine: Engine
  /** Writes an event for each document, and messages for the webhooks of its project. The rows are those after the change. */
  announce(type: DocumentEvent['type'], documents: readonly DocumentRow[]): Promise<void>
  /** Adds an event to the audit log, unless that is turned off. Call it while the user and the project still have the names to record. */
  record(fact: AuditFact): Promise<void>
}

export function createStore({
  db,
  clock,
  engine,
  versions,
  scan,
  isAudited,
}: {
  db: Kysely<Tables>
  clock: Clock
  engine: Engine
  versions: Pick<Store, 'documentsVersion' | 'membersVersion'>
  scan: Store['scan']
  isAudited: boolean
}): Store {
  const listeners = new Set<EventListener>()
  const now = () => clock.now().getTime()
  const wake = (projects: ProjectIds) => {
    for (const listener of listeners) listener(projects)
  }

  async function write<T>(mode: WriteMode, work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    const { result, projects, eventIds } = await engine.transaction(mode, async (tx) => {
      const at = now()
      const events: NewEvent[] = []
      const facts: NewFact[] = []
      const record = async (fact: AuditFact) => {
        if (isAudited) facts.push(await describeFact(tx, fact, at))
      }
      const result = await work({
        sql: tx,
        engine,
        async announce(type, documents) {
          for (const document of documents) events.push(newEvent(type, document, at))
          if (documents.length > 0) await addMessages({ tx, at: clock.now(), record }, type, documents)
        },
        record,
      })
      if (events.length + facts.length > 0) await engine.lockIds(tx, { hasEvents: events.length > 0 })
      const eventIds = events.length === 0 ? [] : await insertEvents(tx, events, at)
      await insertFacts(tx, facts, at)
      return { result, projects: new Set(events.map((event) => event.project_id)), eventIds }
    })
    if (projects.size > 0) {
      engine.committed(eventIds)
      wake(projects)
    }
    return result
  }

  return {
    db,
    clock,
    now,
    engine,
    scan,
    wake,
    hasListeners: () => listeners.size > 0,
    write: (work, { isShared } = ALONE) => write({ isStep: false, isShared }, work),
    writeStep: (work, { isShared } = ALONE) => write({ isStep: true, isShared }, work),
    ...versions,
    subscribe(listener) {
      // A separate object, because a caller may subscribe the same function twice.
      const own: EventListener = (projects) => listener(projects)
      listeners.add(own)
      engine.listenerAdded()
      return () => void listeners.delete(own)
    },
  }
}

type NewEvent = Omit<EventRow, 'id'>

/** The `project_id` of the row in `event_trims` that has the id of the newest event deleted together with its project. */
export const FORGOTTEN = ''
const AFTER_FORGOTTEN = sql<number>`(select coalesce(max(last_id), 0) + 1 from event_trims where project_id = ${FORGOTTEN})`

async function insertEvents(tx: Transaction<Tables>, events: readonly NewEvent[], now: number): Promise<number[]> {
  const next = nextId('events', now, AFTER_FORGOTTEN)
  if (events.length === 1) {
    // Most transactions add one event. The insert computes its id, which saves a statement.
    const row = { id: next, ...events[0]! }
    return [(await tx.insertInto('events').values(row).returning('id').executeTakeFirstOrThrow()).id]
  }
  const { id: first } = await tx.selectNoFrom(next.as('id')).executeTakeFirstOrThrow()
  const rows = events.map((event, i) => ({ id: first + i, ...event }))
  for (const part of slices(rows, 6)) await tx.insertInto('events').values(part).execute()
  return rows.map(({ id }) => id)
}

function newEvent(type: DocumentEvent['type'], document: DocumentRow, createdAt: number): NewEvent {
  const data = {
    name: document.name,
    status: type === 'document.deleted' ? 'deleted' : document.status,
    version: document.version,
    error: document.error_code === null ? null : { code: document.error_code, message: document.error_message ?? '' },
    warnings: JSON.parse(document.warnings) as unknown,
    page_count: document.page_count,
    chunk_count: document.chunk_count,
  }
  const { id: document_id, project_id } = document
  return { project_id, document_id, type, data: JSON.stringify(data), created_at: createdAt }
}

/** Returns the hashes that `select` finds. */
export async function findHashes(
  sha256s: readonly string[],
  select: (part: string[]) => Promise<{ sha256: string }[]>,
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const part of slices(sha256s)) for (const { sha256 } of await select(part)) found.add(sha256)
  return found
}

/** Cuts a list into parts that fit into one statement, where each item takes `parametersEach` parameters. */
export function slices<T>(items: readonly T[], parametersEach = 1): T[][] {
  const size = Math.floor(MAX_PARAMETERS / parametersEach)
  const out: T[][] = []
  for (let i = 0; i < items.length; i += size) out.push(items.slice(i, i + size))
  return out
}
