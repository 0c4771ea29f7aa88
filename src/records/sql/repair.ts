import { Kysely, sql, type Transaction } from 'kysely'
import { DatabaseSync } from 'node:sqlite'
import type { Repairs } from '../inspection.ts'
import { nodeSqliteDialect } from './dialect.ts'
import { translated } from './inspection.ts'
import { textRows } from './per-dialect.ts'
import { COUNTED, COUNTED_WORDS } from './counts.ts'
import type { Tables } from './tables.ts'

const BUSY_TIMEOUT_MS = 10_000

/** Opens a database file to repair what can be computed from the rest of it. A daemon may work with it at the same time. */
export function openRepairs(file: string, now: Date): Repairs {
  const database = translated(() => {
    const opened = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
    opened.exec('pragma synchronous = full')
    return opened
  })
  return createRepairs(new Kysely<Tables>({ dialect: nodeSqliteDialect(database) }), { now, lock: async () => {} })
}

/** Repairs a SQLite or PostgreSQL database. `lock` makes sure that nothing else writes until the transaction ends. */
export function createRepairs(
  db: Kysely<Tables>,
  { now, lock }: { now: Date; lock: (tx: Transaction<Tables>) => Promise<void> },
): Repairs {
  const write = (work: (tx: Transaction<Tables>) => Promise<unknown>): Promise<void> =>
    db.transaction().execute(async (tx) => {
      await lock(tx)
      await work(tx)
    })
  return {
    recount: () =>
      write(async (tx) => {
        await sql`delete from document_counts`.execute(tx)
        await sql`insert into document_counts (project_id, status, documents, chunks, bytes, owner_id)
          select c.*, p.owner_id from (${COUNTED.document_counts.from}) c join projects p on p.id = c.project_id`.execute(tx)
        await sql`delete from folder_counts`.execute(tx)
        await sql`insert into folder_counts (project_id, folder, documents) ${COUNTED.folder_counts.from}`.execute(tx)
        await sql`delete from usage`.execute(tx)
        await sql`insert into usage (owner_id, documents, bytes, passages) ${COUNTED.usage.from}`.execute(tx)
        await sql`update queue_turns set waiting = 0`.execute(tx)
        await sql`insert into queue_turns (owner_id, turn, waiting) select owner_id, 0, waiting from
          (select owner_id, count(*) as waiting from documents where status = 'queued' group by owner_id) as queued where true
          on conflict (owner_id) do update set waiting = excluded.waiting`.execute(tx)
      }),
    recountWords: () =>
      write(async (tx) => {
        await sql`delete from vocabulary_words`.execute(tx)
        await sql`insert into vocabulary_words (vocabulary_id, word, term, documents) ${COUNTED_WORDS}`.execute(tx)
        await sql`update vocabularies
          set words = (select count(*) from vocabulary_words where vocabulary_id = vocabularies.id)`.execute(tx)
      }),
    markForDeletion: (documentIds) =>
      write((tx) =>
        sql`insert into tombstones (document_id, created_at)
          select value, ${sql.lit(now.getTime())} from ${textRows(JSON.stringify(documentIds))} as ids
          where not exists (select 1 from documents where id = ids.value and status <> 'failed')
          on conflict (document_id) do nothing`.execute(tx),
      ),
    close: () => db.destroy(),
  }
}
