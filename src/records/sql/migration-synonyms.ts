import type { Kysely } from 'kysely'

/** Adds the synonyms of projects. A deleted project takes its synonyms along. */
export async function synonyms(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('synonyms')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('rule_key', 'text', (c) => c.notNull())
    .addColumn('words', 'text', (c) => c.notNull())
    .addColumn('expands_to', 'text')
    .addColumn('size', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('synonyms_in_order', ['project_id', 'position'])
    .addUniqueConstraint('synonyms_are_unique', ['project_id', 'rule_key'])
    .execute()
  // Covers the sum of the sizes, so that a check against the limit reads no rule.
  await db.schema.createIndex('synonyms_by_owner').on('synonyms').columns(['owner_id', 'size']).execute()
}
