import type { Kysely } from 'kysely'

/** Changing the model: several indexes, what the inactive ones hold, and the embedder that was chosen. */
export async function models({ schema }: Kysely<never>): Promise<void> {
  // Before this migration only the active index had a row.
  await schema
    .alterTable('generations')
    .addColumn('state', 'text', (c) => c.notNull().defaultTo('active'))
    .execute()
  await schema.alterTable('generations').addColumn('canaries', 'text').execute()
  await schema.alterTable('generations').dropColumn('active').execute()
  await schema
    .createTable('generation_documents')
    .addColumn('generation_id', 'text', (c) => c.notNull().references('generations.id').onDelete('cascade'))
    .addColumn('document_id', 'text', (c) => c.notNull().references('documents.id').onDelete('cascade'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('chunks', 'integer')
    .addColumn('chunks_skipped', 'integer', (c) => c.notNull())
    .addColumn('warnings', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('generation_documents_key', ['generation_id', 'document_id'])
    .execute()
  await schema.createIndex('generation_documents_by_document').on('generation_documents').column('document_id').execute()
  await schema
    .createTable('settings')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute()
}
