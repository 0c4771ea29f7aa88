import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * The words of each owner's documents. Existing documents get theirs when they are indexed again, which happens by itself because
 * the version of the index has changed too.
 */
export async function vocabulary(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('vocabularies')
    // A number, because every row and every index entry of the words has it. The owner's id would take most of the space.
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
    // Stores rows in the order of the words, so that the words of one document are close together. Leave it out on other
    // databases.
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
