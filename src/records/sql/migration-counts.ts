import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Every view of a project shows how many documents it has. The numbers are stored, so that reading them takes the same time
 * however many documents there are.
 */
export async function counts(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('document_counts')
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('documents', 'integer', (c) => c.notNull())
    .addColumn('chunks', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('document_counts_key', ['project_id', 'status'])
    .execute()
  await sql`insert into document_counts (project_id, status, owner_id, documents, chunks, bytes)
    select project_id, status, owner_id, count(*), coalesce(sum(chunk_count), 0), sum(size_bytes)
    from documents group by project_id, status, owner_id`.execute(db)
  await schema.createIndex('document_counts_by_owner').on('document_counts').columns(['owner_id', 'status']).execute()
  await triggers(db)
  await lists(db)
}

/** Each list has an index with exactly its documents, newest first, so that a result page reads nothing else. */
async function lists({ schema }: Kysely<never>): Promise<void> {
  for (const name of ['documents_counts', 'documents_by_hash', 'documents_newest', 'documents_newest_in_project'])
    await schema.dropIndex(name).execute()
  const index = (name: string, columns: string[], further: string[] = []) =>
    schema
      .createIndex(name)
      .on('documents')
      .columns([...columns, 'created_at', 'id', ...further])
  // A search for part of a name reads every name. Reading names from the index takes a seventh of the time that reading rows
  // takes.
  await index('documents_newest', ['owner_id'], ['name_folded']).execute()
  await index('documents_newest_in_project', ['project_id'], ['name_folded']).execute()
  await index('documents_by_hash', ['sha256']).execute()
  await index('documents_by_status_in_project', ['project_id', 'status']).execute()
  // These hold only documents with warnings, and there are few of them.
  for (const [name, columns] of [
    ['documents_with_warnings_in_project', ['project_id']],
    ['documents_with_warnings_by_status', ['owner_id', 'status']],
    ['documents_with_warnings_by_status_in_project', ['project_id', 'status']],
  ] as const) {
    await index(name, [...columns])
      .where(sql<boolean>`warnings <> '[]'`)
      .execute()
  }
}

/**
 * Triggers count in the transaction of the change, also when a foreign key deletes the documents of a deleted project or user.
 */
async function triggers(db: Kysely<never>): Promise<void> {
  const added = `insert into document_counts (project_id, status, owner_id, documents, chunks, bytes)
      values (new.project_id, new.status, new.owner_id, 1, coalesce(new.chunk_count, 0), new.size_bytes)
      on conflict (project_id, status) do update set documents = documents + 1, chunks = chunks + excluded.chunks, bytes = bytes + excluded.bytes;`
  const removed = `update document_counts
      set documents = documents - 1, chunks = chunks - coalesce(old.chunk_count, 0), bytes = bytes - old.size_bytes
      where project_id = old.project_id and status = old.status;`
  const changes = `new.status <> old.status or new.chunk_count is not old.chunk_count or new.size_bytes <> old.size_bytes
      or new.project_id <> old.project_id`
  const create = (name: string, event: string, body: string) =>
    sql.raw(`create trigger ${name} after ${event} begin ${body} end`).execute(db)
  await create('document_counts_added', 'insert on documents', added)
  await create('document_counts_removed', 'delete on documents', removed)
  await create(
    'document_counts_changed',
    `update of status, chunk_count, size_bytes, project_id on documents when ${changes}`,
    `${removed} ${added}`,
  )
}
