import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import type { DocumentEvent } from '../../core/model.ts'
import type { DocumentRow, Tables } from './tables.ts'

/** A statement of SQLite has at most 32,766 parameters, one of PostgreSQL 65,535. Long lists go into several statements. */
const MAX_PARAMETERS = 30_000

/** What every noun works on: the tables, the time, and transactions that wake listeners afterwards. */
export interface Store {
  db: Kysely<Tables>
  clock: Clock
  /** Milliseconds since 1970. */
  now(): number
  /** Runs a transaction. After the commit it calls the listeners of the owners whose documents it announced. */
  write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T>
  subscribe(ownerId: string, listener: () => void): () => void
}

export interface WriteTransaction {
  sql: Transaction<Tables>
  /** Writes an event for each document. The rows are those after the change. */
  announce(type: DocumentEvent['type'], documents: readonly DocumentRow[]): Promise<void>
}

export function createStore(db: Kysely<Tables>, clock: Clock): Store {
  const listeners = new Map<string, Set<() => void>>()
  const now = () => clock.now().getTime()

  async function write<T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> {
    const owners = new Set<string>()
    const result = await db.transaction().execute((sql) =>
      work({
        sql,
        async announce(type, documents) {
          const rows = documents.map((document) => eventRow(type, document, now()))
          for (const part of slices(rows, 6)) await sql.insertInto('events').values(part).execute()
          for (const document of documents) owners.add(document.owner_id)
        },
      }),
    )
    for (const owner of owners) for (const listener of listeners.get(owner) ?? []) listener()
    return result
  }

  return {
    db,
    clock,
    now,
    write,
    subscribe(ownerId, listener) {
      const own = listeners.get(ownerId) ?? new Set()
      listeners.set(ownerId, own.add(listener))
      return () => {
        own.delete(listener)
        if (own.size === 0) listeners.delete(ownerId)
      }
    },
  }
}

function eventRow(type: DocumentEvent['type'], document: DocumentRow, createdAt: number) {
  const data = {
    name: document.name,
    status: type === 'document.deleted' ? 'deleted' : document.status,
    version: document.version,
    error: document.error_code === null ? null : { code: document.error_code, message: document.error_message ?? '' },
    warnings: JSON.parse(document.warnings) as unknown,
    page_count: document.page_count,
    chunk_count: document.chunk_count,
  }
  const { id, owner_id, project_id } = document
  return { owner_id, document_id: id, project_id, type, data: JSON.stringify(data), created_at: createdAt }
}

/** Cuts a list into parts that fit into one statement, where each item takes `parametersEach` parameters. */
export function slices<T>(items: readonly T[], parametersEach = 1): T[][] {
  const size = Math.floor(MAX_PARAMETERS / parametersEach)
  const out: T[][] = []
  for (let i = 0; i < items.length; i += size) out.push(items.slice(i, i + size))
  return out
}
