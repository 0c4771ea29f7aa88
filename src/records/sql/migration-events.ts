import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Numbers the events of each owner separately. Stored events keep their ids, so listeners resume where they were. Earlier
 * versions trimmed the events of all owners together, so any owner may have lost some. Then `event_trims` gets a row for each
 * owner.
 */
export async function events(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema.alterTable('events').renameTo('former_events').execute()
  await schema.dropIndex('events_by_owner').execute()
  await schema
    .createTable('events')
    .addColumn('owner_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('id', 'bigint', (c) => c.notNull())
    .addColumn('document_id', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('events_key', ['owner_id', 'id'])
    .execute()
  await schema
    .createTable('event_trims')
    .addColumn('owner_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('last_id', 'bigint', (c) => c.notNull())
    .execute()
  const columns = sql.raw('owner_id, id, document_id, project_id, type, data, created_at')
  await sql`insert into events (${columns}) select ${columns} from former_events
    where owner_id in (select id from users)`.execute(db)
  // The first id was 1. If it is gone, events were trimmed. An owner without events gets 1, because 0 means that there was no
  // event at all.
  await sql`insert into event_trims (owner_id, last_id)
    select users.id, coalesce((select min(events.id) - 1 from events where owner_id = users.id), 1) from users
    where exists (select 1 from sqlite_sequence where name = 'former_events' and seq > 0)
    and not exists (select 1 from former_events where id = 1)`.execute(db)
  await schema.dropTable('former_events').execute()
}
