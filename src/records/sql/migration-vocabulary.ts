import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * The words of each owner's documents. Documents that are there have none yet: they come when they are indexed the next time, which this
 * version of the index brings about by itself.
 */
export async function vocabulary(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('vocabularies')
    // A number, because it stands in every row and every index of the words, where an owner's id would be most of what is kept.
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('owner_id', 'text', (c) => c.notNull().unique().references('users.id').onDelete('cascade'))
    .addColumn('words', 'integer', (c) => c.notNull())
    .addColumn('passages', 'integer', (c) => c.notNull())
    .execute()
  await schema
    .createTable('vocabulary_words')
    .addColumn('vocabulary_id', 'integer', (c) => c.notNull().references('vocabularies.id').onDelete('cascade'))
    .addColumn('word', 'text', (c) => c.notNull())
    .addColumn('term', 'text', (c) => c.notNull())
    .addColumn('documents', 'integer', (c) => c.notNull())
    .addColumn('passages', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('vocabulary_words_key', ['vocabulary_id', 'word', 'term'])
    // In the order of the words, so that those of one document lie together. A database that has no such tables leaves it out.
    .modifyEnd(sql`without rowid`)
    .execute()
  await schema.createIndex('vocabulary_terms').on('vocabulary_words').columns(['term', 'vocabulary_id']).execute()
  await schema
    .createTable('document_words')
    .addColumn('document_id', 'text', (c) => c.primaryKey().references('documents.id').onDelete('cascade'))
    .addColumn('passages', 'integer', (c) => c.notNull())
    .addColumn('words', 'text', (c) => c.notNull())
    .execute()
}
