import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { pageChecksum } from './page-checksum.ts'

const PAGES_AT_ONCE = 200

interface StoredPage {
  rowid: number
  text: string
  blocks: string
}

/** Adds checksums to the stored pages. SQLite has none, and the pages are most of a database. */
export async function checksums(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('pages').addColumn('checksum', 'integer').execute()
  for (let after = 0; ;) {
    const { rows } = await sql<StoredPage>`select rowid, text, blocks from pages
      where rowid > ${after} order by rowid limit ${PAGES_AT_ONCE}`.execute(db)
    for (const { rowid, ...page } of rows)
      await sql`update pages set checksum = ${pageChecksum(page)} where rowid = ${rowid}`.execute(db)
    if (rows.length < PAGES_AT_ONCE) return
    after = rows.at(-1)!.rowid
  }
}
