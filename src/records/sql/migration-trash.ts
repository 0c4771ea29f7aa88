import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Adds the trash. It is a separate table, so that no search, list or count of documents can see it. Its bytes count towards the
 * quota of the owner.
 */
export async function trash(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('trash')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('uploader_id', 'text')
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('media_type', 'text', (c) => c.notNull())
    .addColumn('size_bytes', 'bigint', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('ready_at', 'bigint')
    .addColumn('page_count', 'integer')
    .addColumn('chunk_count', 'integer')
    .addColumn('embedding_model', 'text')
    .addColumn('error_code', 'text')
    .addColumn('error_message', 'text')
    .addColumn('warnings', 'text', (c) => c.notNull())
    .addColumn('health', 'text', (c) => c.notNull())
    .addColumn('title', 'text')
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('parse', 'text', (c) => c.notNull())
    .addColumn('trashed_at', 'bigint', (c) => c.notNull())
    .execute()
  const index = (name: string, columns: string[]) => schema.createIndex(name).on('trash').columns(columns).execute()
  await index('trash_newest_in_project', ['project_id', 'trashed_at', 'id'])
  await index('trash_oldest', ['trashed_at'])
  await index('trash_by_hash', ['sha256'])
  await index('trash_by_owner', ['owner_id'])
  await triggers(db)
}

/** Triggers count in the transaction of the change, also when a foreign key deletes the trash of a deleted project. */
async function triggers(db: Kysely<never>): Promise<void> {
  const create = (name: string, event: string, body: string) =>
    sql.raw(`create trigger ${name} after ${event} begin ${body} end`).execute(db)
  const add = `insert into usage (owner_id, documents, bytes, passages) values (new.owner_id, 0, new.size_bytes, 0)
      on conflict (owner_id) do update set bytes = bytes + excluded.bytes;`
  const subtract = 'update usage set bytes = bytes - old.size_bytes where owner_id = old.owner_id;'
  await create('trash_added', 'insert on trash', add)
  await create('trash_removed', 'delete on trash', subtract)
  await create('trash_moved', 'update of owner_id on trash when new.owner_id <> old.owner_id', `${subtract} ${add}`)
  await create(
    'trash_gets_owner',
    'update of owner_id on projects when new.owner_id <> old.owner_id',
    'update trash set owner_id = new.owner_id where project_id = new.id;',
  )
}
