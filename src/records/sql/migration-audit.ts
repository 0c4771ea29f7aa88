import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds the audit log. Its rows refer to nothing, because they outlive users, projects and documents. */
export async function audit(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('audit_events')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor_name', 'text')
    .addColumn('actor_email', 'text')
    .addColumn('user_id', 'text')
    .addColumn('user_name', 'text')
    .addColumn('user_email', 'text')
    .addColumn('project_id', 'text')
    .addColumn('project_name', 'text')
    .addColumn('document_id', 'text')
    .addColumn('document_name', 'text')
    .addColumn('address', 'text')
    .addColumn('credential', 'text')
    .addColumn('details', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  const index = (name: string, columns: string[], where: string) =>
    schema.createIndex(name).on('audit_events').columns(columns).where(sql.raw<boolean>(where)).execute()
  await index('audit_events_by_project', ['project_id', 'id'], 'project_id is not null')
  await index('audit_events_by_actor', ['actor_id', 'id'], 'actor_id is not null')
  await index('audit_events_by_actor_in_project', ['actor_id', 'project_id', 'id'], 'project_id is not null')
  await index('audit_events_by_document', ['document_id', 'id'], 'document_id is not null')
  await index('audit_events_of_accounts', ['id'], 'project_id is null')
  await index('audit_events_by_user', ['user_id', 'id'], 'project_id is null')
  // Who may still see what happened in a project after its deletion.
  await schema
    .createTable('audit_managers')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_managers_key', ['user_id', 'project_id'])
    .execute()
  await sql`insert into settings (name, value) values ('audit_id_key', lower(hex(randomblob(32))))`.execute(db)
  await schema.alterTable('documents').addColumn('uploader_id', 'text').execute()
}
