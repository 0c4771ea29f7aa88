import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Lets users take turns in the queue. `queue_turns` has a row for each user: how many of the user's documents wait, and at which
 * turn the last one was claimed. So a claim reads one row and one document, however many documents wait.
 */
export async function turns(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('queue_turns')
    .addColumn('owner_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('turn', 'integer', (c) => c.notNull())
    .addColumn('waiting', 'integer', (c) => c.notNull())
    .execute()
  await sql`insert into queue_turns (owner_id, turn, waiting)
    select owner_id, 0, count(*) from documents where status = 'queued' group by owner_id`.execute(db)
  await schema.createIndex('queue_turns_last').on('queue_turns').column('turn').execute()
  // Only users whose documents wait, in the order of their turns.
  await schema
    .createIndex('queue_turns_waiting')
    .on('queue_turns')
    .columns(['turn', 'owner_id'])
    .where(sql<boolean>`waiting > 0`)
    .execute()
  await schema.dropIndex('documents_queue').execute()
  await schema
    .createIndex('documents_queue')
    .on('documents')
    .columns(['status', 'owner_id', 'attempts', 'queued_at', 'id', 'not_before'])
    .execute()
  await triggers(db)
}

/** Triggers count in the transaction of the change, also when a foreign key deletes the documents of a deleted project. */
async function triggers(db: Kysely<never>): Promise<void> {
  const queued = `insert into queue_turns (owner_id, turn, waiting) values (new.owner_id, 0, 1)
      on conflict (owner_id) do update set waiting = waiting + 1;`
  const left = `update queue_turns set waiting = waiting - 1 where owner_id = old.owner_id;`
  const create = (name: string, event: string, body: string) =>
    sql.raw(`create trigger ${name} after ${event} begin ${body} end`).execute(db)
  const status = 'update of status on documents when'
  await create('queue_turns_added', `insert on documents when new.status = 'queued'`, queued)
  await create('queue_turns_queued', `${status} new.status = 'queued' and old.status <> 'queued'`, queued)
  await create('queue_turns_left', `${status} old.status = 'queued' and new.status <> 'queued'`, left)
  await create('queue_turns_deleted', `delete on documents when old.status = 'queued'`, left)
}
