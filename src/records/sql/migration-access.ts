import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Limits keys and grants to projects. Keys and grants that exist have no limit. */
export async function access(db: Kysely<never>): Promise<void> {
  for (const table of ['api_keys', 'oauth_codes', 'oauth_device_codes', 'oauth_grants'])
    await db.schema.alterTable(table).addColumn('projects', 'text').execute()
  await sharedNames(db)
}

/**
 * Lets a user own several projects of one name. Otherwise a manager who renames a project, and members who see a project change its
 * owner, would learn the names of other projects of its owner. SQLite can't drop the unique constraint on the name, and dropping the table would delete the
 * documents that refer to it. So the old column stays for the constraint, with the ID as its value.
 */
async function sharedNames(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('projects').renameColumn('name', 'unique_name').execute()
  await db.schema
    .alterTable('projects')
    .addColumn('name', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await sql`update projects set name = unique_name, unique_name = id`.execute(db)
  await db.schema.createIndex('projects_by_name').on('projects').columns(['owner_id', 'name']).execute()
}
