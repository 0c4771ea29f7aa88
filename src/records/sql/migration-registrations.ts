import type { Kysely } from 'kysely'

/** Adds applications that registered themselves. They have no owner, so they are not in `oauth_clients`. */
export async function registrations(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('oauth_registrations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('redirect_uris', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('oauth_registrations_by_age').on('oauth_registrations').columns(['created_at', 'id']).execute()
}
