import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import type { AuditFact } from '../../core/audit.ts'
import type { Clock } from '../../core/clock.ts'
import type { DocumentEvent } from '../../core/model.ts'
import type { ProjectIds } from '../projects.ts'
import { recordFact } from './audit-record.ts'
import type { DocumentRow, Tables } from './tables.ts'
import { addMessages } from './webhook-messages.ts'

/** A statement of SQLite has at most 32,766 parameters, one of PostgreSQL 65,535. Long lists go into several statements. */
const MAX_PARAMETERS = 30_000

type EventListener = (projects: ProjectIds) => void

/** What every noun works on: the tables, the time, and transactions that wake listeners afterwards. */
export interface Store {
  db: Kysely<Tables>
  clock: Clock
  /** Milliseconds since 1970. */
  now(): number
  /** Runs a transaction. After the commit it calls the listeners with the projects whose documents it announced. */
  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>
  /**
   * Like `write`, for a step of work that is repeated when a power cut undoes it. The change is on disk only with the next `write`. That saves
   * the main thread from waiting for the disk.
   */
  writeStep<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>
  subscribe(listener: EventListener): () => void
  /** Returns a number that is larger than before if documents or projects may have changed, in this process or another one. */
  documentsVersion(): number
  /** Like `documentsVersion`, for the members of projects. */
  membersVersion(): number
}

export interface WriteTransaction {
  sql: Transaction<Tables>
  /** Writes an event for each document, and messages for the webhooks of its project. The rows are those after the change. */
  announce(type: DocumentEvent['type'], documents: readonly DocumentRow[]): Promise<void>
  /** Adds an event to the audit log, unless that is turned off. Call it while the user and the project still have the names to record. */
  record(fact: AuditFact): Promise<void>
}

export function createStore(
  db: Kysely<Tables>,
  clock: Clock,
  { documentsVersion, membersVersion }: Pick<Store, 'documentsVersion' | 'membersVersion'>,
  { isAudited }: { isAudited: boolean },
): Store {
  const listeners = new Set<EventListener>()
  const now = () => clock.now().getTime()

  async function writeWith<T>(connection: Kysely<Tables>, work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    const projects = new Set<string>()
    const result = await connection.transaction().execute((tx) => {
      const record = async (fact: AuditFact) => {
        if (isAudited) await recordFact(tx, fact, now())
      }
      return work({
        sql: tx,
        async announce(type, documents) {
          if (documents.length === 0) return
          const createdAt = now()
          const first = Math.max((await latestEventId(tx)) + 1, createdAt)
          const rows = documents.map((document, i) => eventRow(type, document, { id: first + i, createdAt }))
          for (const part of slices(rows, 6)) await tx.insertInto('events').values(part).execute()
          for (const { project_id } of rows) projects.add(project_id)
          await addMessages({ tx, at: clock.now(), record }, type, documents)
        },
        record,
      })
    })
    if (projects.size > 0) for (const listener of listeners) listener(projects)
    return result
  }

  return {
    db,
    clock,
    now,
    write: (work) => writeWith(db, work),
    writeStep: (work) =>
      db.connection().execute(async (connection) => {
        // A transaction can't change this itself. The file stays whole in a power cut. (PostgreSQL has `synchronous_commit`.)
        await sql`pragma synchronous = normal`.execute(connection)
        try {
          return await writeWith(connection, work)
        } finally {
          await sql`pragma synchronous = full`.execute(connection)
        }
      }),
    documentsVersion,
    membersVersion,
    subscribe(listener) {
      // An object of its own, because a caller may subscribe the same function twice.
      const own: EventListener = (projects) => listener(projects)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}

async function latestEventId(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((e) => e.fn.max('id').as('latest'))
    .executeTakeFirst()
  return row?.latest ?? 0
}

function eventRow(type: DocumentEvent['type'], document: DocumentRow, { id, createdAt }: { id: number; createdAt: number }) {
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
  return { id, project_id, document_id, type, data: JSON.stringify(data), created_at: createdAt }
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
