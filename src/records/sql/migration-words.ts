import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Leaves only what corrects spelling in the vocabularies, because every document changes thousands of their rows. How rare a term is, segments
 * of the index know.
 */
export async function words(db: Kysely<never>): Promise<void> {
  await db.schema.dropIndex('vocabulary_terms').execute()
  for (const table of ['vocabularies', 'vocabulary_words', 'document_words'])
    await db.schema.alterTable(table).dropColumn('passages').execute()
  await sql`update document_words
    set words = (select json_group_array((value ->> 1) || ' ' || (value ->> 0)) from json_each(words))`.execute(db)
}
