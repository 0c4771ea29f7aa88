import type { Kysely } from 'kysely'

/** The columns that this migration reads and writes, of the version before and the version after. */
interface Between {
  users: { id: string; email: string | null; email_folded: string | null; role: string }
  setup_tokens: { sha256: string; user_id: string; created_at: number; expires_at: number; used_at: number | null }
  one_time_links: Between['setup_tokens'] & { purpose: string }
}

/** Accounts and OAuth: one-time links for passwords, sessions of browsers, applications and their grants. */
export async function accounts(db: Kysely<never>): Promise<void> {
  await users(db)
  await links(db)
  await sessions(db)
  await applications(db)
  await grants(db)
  await codes(db)
}

async function users(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('users').addColumn('email_folded', 'text').execute()
  await db.schema.alterTable('users').addColumn('disabled_at', 'bigint').execute()
  await db.schema.alterTable('users').addColumn('last_login_at', 'bigint').execute()
  const rows = db as unknown as Kysely<Between>
  for (const { id, email } of await rows.selectFrom('users').select(['id', 'email']).execute()) {
    if (email === null) continue
    // Databases differ in what lower() does: SQLite's knows only ASCII.
    await rows
      .updateTable('users')
      .set({ email_folded: email.normalize('NFC').toLowerCase() })
      .where('id', '=', id)
      .execute()
  }
  await db.schema.createIndex('users_email_is_unique').on('users').columns(['email_folded']).unique().execute()
  // When two processes create the owner of an empty folder at the same time, one of them fails here.
  await rows.schema.createIndex('users_owner_is_one').on('users').columns(['role']).unique().where('role', '=', 'owner').execute()
}

async function links(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('one_time_links')
    .addColumn('sha256', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute()
  await schema.createIndex('one_time_links_by_user').on('one_time_links').columns(['user_id']).execute()
  const rows = db as unknown as Kysely<Between>
  const columns = ['sha256', 'user_id', 'created_at', 'expires_at', 'used_at'] as const
  await rows
    .insertInto('one_time_links')
    .columns([...columns, 'purpose'])
    .expression((e) => e.selectFrom('setup_tokens').select([...columns, e.val('setup').as('purpose')]))
    .execute()
  await schema.dropTable('setup_tokens').execute()
}

async function sessions({ schema }: Kysely<never>): Promise<void> {
  await schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('sha256', 'text', (c) => c.notNull().unique())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_seen_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('sessions_by_user').on('sessions').columns(['user_id', 'created_at', 'id']).execute()
  await schema.createIndex('sessions_by_end').on('sessions').columns(['expires_at']).execute()
}

async function applications({ schema }: Kysely<never>): Promise<void> {
  await schema
    .createTable('oauth_clients')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('redirect_uris', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('oauth_clients_by_owner').on('oauth_clients').columns(['owner_id', 'created_at', 'id']).execute()
  await schema
    .createTable('oauth_client_secrets')
    .addColumn('client_id', 'text', (c) => c.notNull().references('oauth_clients.id').onDelete('cascade'))
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('last_four', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addPrimaryKeyConstraint('oauth_client_secrets_key', ['client_id', 'sha256'])
    .execute()
}

async function grants({ schema }: Kysely<never>): Promise<void> {
  await schema
    .createTable('oauth_grants')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    // No foreign key, because the built-in application has no row.
    .addColumn('client_id', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('resource', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute()
  await schema.createIndex('oauth_grants_by_user').on('oauth_grants').columns(['user_id', 'client_id']).execute()
  await schema.createIndex('oauth_grants_by_client').on('oauth_grants').columns(['client_id']).execute()
  const tokens = (name: string) =>
    schema
      .createTable(name)
      .addColumn('sha256', 'text', (c) => c.primaryKey())
      .addColumn('grant_id', 'text', (c) => c.notNull().references('oauth_grants.id').onDelete('cascade'))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
  await tokens('oauth_access_tokens')
    .addColumn('scopes', 'text', (c) => c.notNull())
    .execute()
  await tokens('oauth_refresh_tokens').addColumn('used_at', 'bigint').execute()
  for (const table of ['oauth_access_tokens', 'oauth_refresh_tokens']) {
    await schema.createIndex(`${table}_by_grant`).on(table).columns(['grant_id', 'expires_at']).execute()
    await schema.createIndex(`${table}_by_end`).on(table).columns(['expires_at']).execute()
  }
}

async function codes({ schema }: Kysely<never>): Promise<void> {
  await schema
    .createTable('oauth_codes')
    .addColumn('sha256', 'text', (c) => c.primaryKey())
    .addColumn('client_id', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('redirect_uri', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('code_challenge', 'text')
    .addColumn('resource', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .addColumn('grant_id', 'text', (c) => c.references('oauth_grants.id').onDelete('cascade'))
    .execute()
  await schema
    .createTable('oauth_device_codes')
    .addColumn('device_sha256', 'text', (c) => c.primaryKey())
    .addColumn('user_sha256', 'text', (c) => c.notNull().unique())
    .addColumn('client_id', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('resource', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('interval_seconds', 'integer', (c) => c.notNull())
    .addColumn('last_polled_at', 'bigint')
    .execute()
  for (const table of ['oauth_codes', 'oauth_device_codes']) {
    await schema.createIndex(`${table}_by_user`).on(table).columns(['user_id', 'client_id']).execute()
    await schema.createIndex(`${table}_by_client`).on(table).columns(['client_id']).execute()
  }
  await schema.createIndex('oauth_codes_by_grant').on('oauth_codes').columns(['grant_id']).execute()
}
