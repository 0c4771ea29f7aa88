import type { Kysely } from 'kysely'

/** Remembers damaged originals, so that an upload of the same bytes is not taken for unchanged, and how far the scrub has come. */
export async function originals(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('damaged_originals')
    .addColumn('sha256', 'text', (c) => c.primaryKey())
    .addColumn('damage', 'text', (c) => c.notNull())
    .addColumn('found_at', 'bigint', (c) => c.notNull())
    .execute()
}
