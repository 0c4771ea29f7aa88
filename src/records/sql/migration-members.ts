import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Gives projects members. The owner of each project becomes its manager, so that everybody sees what they saw before. The row of a
 * member stays when the project is deleted: it says who may still hear of the deletion.
 */
export async function members(db: Kysely<never>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('project_members')
    .addColumn('project_id', 'text', (c) => c.notNull())
    // Null stands for all users of the instance.
    .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('reader', 'writer', 'manager')`))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  const unique = (name: string) => schema.createIndex(name).on('project_members').unique()
  await unique('project_members_users').columns(['project_id', 'user_id']).execute()
  await unique('project_members_everyone')
    .columns(['project_id'])
    .where(sql<boolean>`user_id is null`)
    .execute()
  await schema.createIndex('project_members_by_user').on('project_members').columns(['user_id', 'project_id']).execute()
  await sql`insert into project_members (project_id, user_id, role, created_at)
    select id, owner_id, 'manager', created_at from projects`.execute(db)
  await lists(db)
  await ownership(db)
  await vocabularies(db)
  await events(db)
}

/** Lists and counts are read by project. The lists of an owner are no longer read. */
async function lists({ schema }: Kysely<never>): Promise<void> {
  for (const name of ['documents_by_status', 'documents_with_warnings', 'documents_with_warnings_by_status'])
    await schema.dropIndex(name).execute()
  await schema.dropIndex('document_counts_by_owner').execute()
  // Holds only the projects in which documents wait, so that counting them takes no time in all others.
  await schema
    .createIndex('document_counts_pending')
    .on('document_counts')
    .columns(['project_id', 'documents'])
    .where(sql<boolean>`status in ('queued', 'processing') and documents > 0`)
    .execute()
  // Deleting a user looks for rows that refer to the user.
  await schema.createIndex('document_counts_by_owner').on('document_counts').columns(['owner_id']).execute()
}

/** Documents count for the owner of their project, also after the project gets another owner. */
async function ownership(db: Kysely<never>): Promise<void> {
  const create = (name: string, event: string, body: string) =>
    sql.raw(`create trigger ${name} after ${event} begin ${body} end`).execute(db)
  await create(
    'documents_get_owner',
    'update of owner_id on projects when new.owner_id <> old.owner_id',
    `update documents set owner_id = new.owner_id where project_id = new.id;
      update document_counts set owner_id = new.owner_id where project_id = new.id;
      update synonyms set owner_id = new.owner_id where project_id = new.id;`,
  )
  await create(
    'usage_moved',
    'update of owner_id on documents when new.owner_id <> old.owner_id',
    `update usage set documents = documents - 1, bytes = bytes - old.size_bytes, passages = passages - old.passages
        where owner_id = old.owner_id;
      insert into usage (owner_id, documents, bytes, passages) values (new.owner_id, 1, new.size_bytes, new.passages)
        on conflict (owner_id) do update set documents = documents + 1, bytes = bytes + excluded.bytes, passages = passages + excluded.passages;`,
  )
  await create(
    'queue_turns_moved',
    `update of owner_id on documents when new.owner_id <> old.owner_id and new.status = 'queued' and old.status = 'queued'`,
    `update queue_turns set waiting = waiting - 1 where owner_id = old.owner_id;
      insert into queue_turns (owner_id, turn, waiting) values (new.owner_id, 0, 1)
        on conflict (owner_id) do update set waiting = waiting + 1;`,
  )
}

/** Each project gets the words of its own documents. Otherwise a correction could reveal a word of a project that the user can't see. */
async function vocabularies(db: Kysely<never>): Promise<void> {
  const { schema } = db
  for (const table of ['vocabulary_words', 'vocabularies']) await schema.dropTable(table).execute()
  await schema
    .createTable('vocabularies')
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('project_id', 'text', (c) => c.notNull().unique().references('projects.id').onDelete('cascade'))
    .addColumn('words', 'integer', (c) => c.notNull())
    .execute()
  await schema
    .createTable('vocabulary_words')
    .addColumn('vocabulary_id', 'integer', (c) => c.notNull().references('vocabularies.id').onDelete('cascade'))
    .addColumn('word', 'text', (c) => c.notNull())
    .addColumn('term', 'text', (c) => c.notNull())
    .addColumn('documents', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('vocabulary_words_key', ['vocabulary_id', 'word', 'term'])
    // Stores rows in the order of the words, so that the words of one document are close together. Leave it out on other
    // databases.
    .modifyEnd(sql`without rowid`)
    .execute()
  await sql`insert into vocabularies (project_id, words)
    select distinct documents.project_id, 0 from document_words join documents on documents.id = document_words.document_id`.execute(
    db,
  )
  await sql`insert into vocabulary_words (vocabulary_id, word, term, documents)
    select vocabularies.id, substr(words.value, instr(words.value, ' ') + 1), substr(words.value, 1, instr(words.value, ' ') - 1), count(*)
    from document_words
    join documents on documents.id = document_words.document_id
    join vocabularies on vocabularies.project_id = documents.project_id
    join json_each(document_words.words) as words
    group by 1, 2, 3`.execute(db)
  await sql`update vocabularies
    set words = (select count(*) from vocabulary_words where vocabulary_id = vocabularies.id)`.execute(db)
}

/**
 * Numbers all events together. Users see the numbers only encrypted, with the key that this adds, because the numbers tell how much
 * happens in other projects. Stored events have other numbers, so this drops them, and every listener hears that it has missed some.
 */
async function events(db: Kysely<never>): Promise<void> {
  const { schema } = db
  for (const table of ['events', 'event_trims']) await schema.dropTable(table).execute()
  await schema
    .createTable('events')
    .addColumn('id', 'bigint', (c) => c.notNull())
    // The events of a deleted project stay for a while.
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('document_id', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('events_key', ['project_id', 'id'])
    .modifyEnd(sql`without rowid`)
    .execute()
  await schema.createIndex('events_by_id').on('events').unique().column('id').execute()
  await schema
    .createTable('event_trims')
    .addColumn('project_id', 'text', (c) => c.primaryKey())
    .addColumn('last_id', 'bigint', (c) => c.notNull())
    .execute()
  // 0 means that a listener has heard nothing yet, so any other number says that events were dropped.
  await sql`insert into event_trims (project_id, last_id) select id, 1 from projects`.execute(db)
  await sql`insert into settings (name, value) values ('event_id_key', lower(hex(randomblob(32))))`.execute(db)
}
