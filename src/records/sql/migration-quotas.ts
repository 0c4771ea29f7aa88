import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Stores the usage of each user, so that a check against a quota takes the same time for any number of documents. Adds the quotas
 * of single users.
 */
export async function quotas(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('documents')
    .addColumn('passages', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await sql`update documents set passages = chunk_count where status = 'ready' and chunk_count > 0`.execute(db)
  await schema
    .createTable('usage')
    .addColumn('owner_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('documents', 'integer', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('passages', 'bigint', (c) => c.notNull())
    .execute()
  await sql`insert into usage (owner_id, documents, bytes, passages)
    select owner_id, count(*), sum(size_bytes), sum(passages) from documents group by owner_id`.execute(db)
  await triggers(db)
  for (const name of ['quota_documents', 'quota_bytes', 'quota_passages'])
    await schema.alterTable('users').addColumn(name, 'bigint').execute()
}

/** Triggers count in the transaction of the change, also when a foreign key deletes the documents of a deleted project. */
async function triggers(db: Kysely<never>): Promise<void> {
  const create = (name: string, event: string, body: string) =>
    sql.raw(`create trigger ${name} after ${event} begin ${body} end`).execute(db)
  await create(
    'usage_added',
    'insert on documents',
    `insert into usage (owner_id, documents, bytes, passages) values (new.owner_id, 1, new.size_bytes, new.passages)
      on conflict (owner_id) do update set documents = documents + 1, bytes = bytes + excluded.bytes, passages = passages + excluded.passages;`,
  )
  await create(
    'usage_removed',
    'delete on documents',
    `update usage set documents = documents - 1, bytes = bytes - old.size_bytes, passages = passages - old.passages
      where owner_id = old.owner_id;`,
  )
  await create(
    'usage_changed',
    'update of size_bytes, passages on documents when new.size_bytes <> old.size_bytes or new.passages <> old.passages',
    `update usage set bytes = bytes + new.size_bytes - old.size_bytes, passages = passages + new.passages - old.passages
      where owner_id = new.owner_id;`,
  )
}
