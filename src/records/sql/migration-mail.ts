import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Attachments are documents with the message as their parent. The headers of messages have a table of their own, because a mailbox has many and
 * searches filter by them.
 */
export async function mail(db: Kysely<never>): Promise<void> {
  const { schema } = db
  for (const table of ['documents', 'trash']) {
    await schema.alterTable(table).addColumn('parent_id', 'text').execute()
    await schema.alterTable(table).addColumn('parent_page', 'integer').execute()
    await schema
      .createIndex(`${table}_by_parent`)
      .on(table)
      .columns(['parent_id'])
      .where(sql<boolean>`parent_id is not null`)
      .execute()
  }
  await schema
    .createTable('messages')
    .addColumn('document_id', 'text', (c) => c.notNull().references('documents.id').onDelete('cascade'))
    .addColumn('page', 'integer', (c) => c.notNull())
    .addColumn('sender', 'text', (c) => c.notNull())
    .addColumn('sender_folded', 'text', (c) => c.notNull())
    .addColumn('recipients_folded', 'text', (c) => c.notNull())
    .addColumn('subject_folded', 'text', (c) => c.notNull())
    .addColumn('sent_at', 'bigint')
    .addColumn('message_id', 'text')
    .addColumn('answers', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('messages_key', ['document_id', 'page'])
    .execute()
  await schema.createIndex('messages_by_id').on('messages').columns(['message_id']).execute()
  await schema
    .createTable('quotations')
    .addColumn('document_id', 'text', (c) => c.notNull().references('documents.id').onDelete('cascade'))
    .addColumn('source_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('quotations_key', ['document_id', 'source_id'])
    .execute()
  await schema.createIndex('quotations_by_source').on('quotations').columns(['source_id']).execute()
  await folders(db)
}

/** The view of a project shows its folders. The attachments of a message are in no folder of the user's. */
async function folders(db: Kysely<never>): Promise<void> {
  const folderOf = (row: 'new' | 'old') => `substr(${row}.path, 1, instr(${row}.path, '/'))`
  const isOld = `project_id = old.project_id and folder = ${folderOf('old')}`
  const added = `insert into folder_counts (project_id, folder, documents) values (new.project_id, ${folderOf('new')}, 1)
      on conflict (project_id, folder) do update set documents = documents + 1;`
  const removed = `update folder_counts set documents = documents - 1 where ${isOld};
      delete from folder_counts where ${isOld} and documents = 0;`
  const create = async (name: string, event: string, body: string) => {
    await sql.raw(`drop trigger ${name}`).execute(db)
    await sql.raw(`create trigger ${name} after ${event} begin ${body} end`).execute(db)
  }
  await create('folder_counts_added', 'insert on documents when new.parent_id is null', added)
  await create('folder_counts_removed', 'delete on documents when old.parent_id is null', removed)
  await create(
    'folder_counts_changed',
    `update of path, project_id on documents
      when new.parent_id is null and (new.project_id <> old.project_id or ${folderOf('new')} <> ${folderOf('old')})`,
    `${removed} ${added}`,
  )
}
