import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/** Adds the webhooks of projects and their deliveries. A deleted project takes its webhooks along. */
export async function webhooks(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('webhooks')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('events', 'text', (c) => c.notNull())
    .addColumn('secrets', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('disabled_at', 'bigint')
    .addColumn('disabled_reason', 'text')
    .addColumn('failing_since', 'bigint')
    .addColumn('waiting', 'integer', (c) => c.notNull())
    .execute()
  await schema.createIndex('webhooks_by_project').on('webhooks').columns(['project_id', 'id']).execute()
  await schema
    .createIndex('webhooks_in_use')
    .on('webhooks')
    .columns(['id'])
    .where(sql<boolean>`waiting > 0 and disabled_at is null`)
    .execute()
  await schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('webhook_id', 'text', (c) => c.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('document_id', 'text')
    .addColumn('document_name', 'text')
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull().check(sql`state in ('waiting', 'delivered', 'failed')`))
    .addColumn('attempts', 'text', (c) => c.notNull())
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .execute()
  const index = (name: string, columns: string[]) => schema.createIndex(name).on('webhook_deliveries').columns(columns)
  await index('deliveries_newest', ['webhook_id', 'id']).execute()
  await index('deliveries_by_state', ['webhook_id', 'state', 'id']).execute()
  await index('deliveries_by_age', ['created_at']).execute()
  await index('deliveries_due', ['webhook_id', 'due_at', 'id'])
    .where(sql<boolean>`due_at is not null`)
    .execute()
  await index('deliveries_finished', ['webhook_id', 'finished_at', 'id'])
    .where(sql<boolean>`finished_at is not null`)
    .execute()
}
