import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds saved searches, which are deleted with their user, and indexes for the columns that sort a list of documents. */
export async function savedSearches(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('saved_searches')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('parameters', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('saved_searches_are_unique', ['user_id', 'parameters'])
    .execute()
  const index = (name: string, column: string) =>
    sql.raw(`create index ${name} on documents (project_id, ${column}, id)`).execute(db)
  await index('documents_by_name', 'name_folded')
  await index('documents_by_size', 'size_bytes')
  await index('documents_by_pages', 'coalesce(page_count, 0)')
  await index('documents_by_state', 'status')
}
