import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { MAX_TITLE_CHARS } from '../../core/text-limits.ts'
import { storedTitle } from '../rules.ts'

/** Titles of earlier versions can have megabytes, so the migration holds only a few in memory at once. */
const ROWS_AT_ONCE = 10

/** Cuts the titles that earlier versions stored in full. */
export async function limits(db: Kysely<never>): Promise<void> {
  for (let after = ''; ;) {
    // SQLite counts code points, which are at most as many as the UTF-16 code units of the limit, and at least half as many.
    const { rows } = await sql<{ id: string; title: string }>`select id, title from documents
      where id > ${after} and length(title) > ${MAX_TITLE_CHARS / 2} order by id limit ${ROWS_AT_ONCE}`.execute(db)
    if (rows.length === 0) return
    for (const { id, title } of rows) {
      if (title.length > MAX_TITLE_CHARS)
        await sql`update documents set title = ${storedTitle(title)} where id = ${id}`.execute(db)
      after = id
    }
  }
}
