import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * The view of a project shows its folders with the number of their documents, and when a document last changed. The numbers are stored, and the
 * last change comes from an index, so that the view takes the same time however many documents there are.
 */
export async function folders(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('folder_counts')
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    // The first folder of the path, with its slash. Empty for documents outside of folders.
    .addColumn('folder', 'text', (c) => c.notNull())
    .addColumn('documents', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('folder_counts_key', ['project_id', 'folder'])
    .modifyEnd(sql`without rowid`)
    .execute()
  await sql`insert into folder_counts (project_id, folder, documents)
    select project_id, substr(path, 1, instr(path, '/')), count(*) from documents group by 1, 2`.execute(db)
  await db.schema.createIndex('documents_last_changed_in_project').on('documents').columns(['project_id', 'updated_at']).execute()
  await triggers(db)
}

/** Triggers count in the transaction of the change, also when a foreign key deletes the documents of a deleted project or user. */
async function triggers(db: Kysely<never>): Promise<void> {
  const folderOf = (row: 'new' | 'old') => `substr(${row}.path, 1, instr(${row}.path, '/'))`
  const isOld = `project_id = old.project_id and folder = ${folderOf('old')}`
  const added = `insert into folder_counts (project_id, folder, documents) values (new.project_id, ${folderOf('new')}, 1)
      on conflict (project_id, folder) do update set documents = documents + 1;`
  const removed = `update folder_counts set documents = documents - 1 where ${isOld};
      delete from folder_counts where ${isOld} and documents = 0;`
  const create = (name: string, event: string, body: string) =>
    sql.raw(`create trigger ${name} after ${event} begin ${body} end`).execute(db)
  await create('folder_counts_added', 'insert on documents', added)
  await create('folder_counts_removed', 'delete on documents', removed)
  await create(
    'folder_counts_changed',
    `update of path, project_id on documents
      when new.project_id <> old.project_id or ${folderOf('new')} <> ${folderOf('old')}`,
    `${removed} ${added}`,
  )
}
