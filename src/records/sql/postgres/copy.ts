import { Kysely, sql } from 'kysely'
import type { RawBuilder, Transaction } from 'kysely'
import { DatabaseSync } from 'node:sqlite'
import { DocsearchError } from '../../../core/errors.ts'
import { nodeSqliteDialect } from '../dialect.ts'
import { slices } from '../store.ts'
import type { Tables } from '../tables.ts'
import { postgresDialect } from './dialect.ts'
import { lockWrites } from './locks.ts'
import { COPIED_SETTINGS, currentMove, storeMove } from './move.ts'
import { INSTANCE_ID } from './secrets.ts'
import type { PostgresServer } from './server.ts'

type Table = keyof Tables
type Row = Record<string, unknown>

/** A table comes after those that it refers to, and after those whose triggers write to it. */
const IN_ORDER = [
  'users',
  'one_time_links',
  'sessions',
  'api_keys',
  'oauth_clients',
  'oauth_client_secrets',
  'oauth_registrations',
  'oauth_grants',
  'oauth_codes',
  'oauth_access_tokens',
  'oauth_refresh_tokens',
  'oauth_device_codes',
  'projects',
  'project_members',
  'saved_searches',
  'settings',
  'audit_events',
  'audit_managers',
  'backups',
  'documents',
  'trash',
  'damaged_originals',
  'document_counts',
  'folder_counts',
  'usage',
  'queue_turns',
  'pages',
  'messages',
  'quotations',
  'tombstones',
  'events',
  'event_trims',
  'generations',
  'generation_documents',
  'vocabularies',
  'vocabulary_words',
  'document_words',
  'synonyms',
  'webhooks',
  'webhook_deliveries',
] as const satisfies readonly Table[]

/** Does not compile if the list above lacks a table. */
const TABLES: readonly (Table extends (typeof IN_ORDER)[number] ? Table : never)[] = IN_ORDER

/** How many rows a cursor returns at once. A page of a document can have a megabyte of text. */
const ROWS_AT_ONCE = 100

/** The number of rows in each table. */
export type RowCounts = ReadonlyMap<string, number>

export interface CopyToPostgres {
  /** A SQLite file with the tables of this version, which nothing else changes meanwhile. */
  file: string
  /** With the tables of this version. */
  server: PostgresServer
  /** Where the records come from, as the user knows it. */
  from: string
  /** Keys that all processes need (`Coordination.secret`). */
  secrets?: Readonly<Record<string, string>>
}

/**
 * Copies records to PostgreSQL in one transaction. From then on they are arriving, and no process can use them before `setMove` says that they have
 * arrived. Replaces what an earlier copy from the same place left behind. Throws `data_unusable` when PostgreSQL has other records, and an error
 * when a count differs afterwards. Then PostgreSQL stays as it was.
 */
export async function copyToPostgres({ file, server, from: place, secrets = {} }: CopyToPostgres): Promise<RowCounts> {
  return withBoth({ file, server }, (sqlite, postgres) =>
    sqlite.transaction().execute((from) =>
      postgres.transaction().execute(async (to) => {
        await lockWrites(to)
        await refuseOtherRecords(to, place)
        // An earlier copy may have left rows. Deleting them could exceed the time limit of a statement, and PostgreSQL would keep their space.
        await sql`truncate ${sql.join(TABLES.map((table) => sql.table(table)))} cascade`.execute(to)
        const counts = await withoutTriggers(to, () => copyTables((table) => from.selectFrom(table).selectAll().stream(), to))
        await storeMove(to, { state: 'arriving', place })
        await sql`delete from secrets where name <> ${INSTANCE_ID}`.execute(to)
        for (const [name, value] of Object.entries(secrets))
          await sql`insert into secrets (name, value) values (${name}, ${value})`.execute(to)
        // The next rows get ids after the copied ones.
        await sql`select setval(pg_get_serial_sequence('vocabularies', 'id'), coalesce(max(id), 0) + 1, false) from vocabularies`.execute(
          to,
        )
        return counts
      }),
    ),
  )
}

/**
 * Copies without the triggers that count documents, because the counts are copied too. In one transaction, the time of these triggers grows with the
 * square of the number of documents. Foreign keys are still checked.
 */
async function withoutTriggers<T>(to: Transaction<Tables>, copy: () => Promise<T>): Promise<T> {
  const tables = ['documents', 'trash'] as const
  for (const table of tables) await sql`alter table ${sql.table(table)} disable trigger user`.execute(to)
  const result = await copy()
  for (const table of tables) await sql`alter table ${sql.table(table)} enable trigger user`.execute(to)
  return result
}

/**
 * Copies the records in PostgreSQL, as they are at one moment, to a SQLite file with empty tables of this version. Processes can go on writing
 * meanwhile. Throws an error when a count differs afterwards. If this fails, the file is useless. The file is not synced when this resolves.
 */
export async function copyFromPostgres({ file, server }: { file: string; server: PostgresServer }): Promise<RowCounts> {
  return withBoth({ file, server }, async (sqlite, postgres) => {
    // With a write-ahead log, the commit would write everything again and block the process for seconds. If the copy fails, nobody needs the file.
    await sql`pragma journal_mode = delete`.execute(sqlite)
    await sql`pragma synchronous = off`.execute(sqlite)
    // The transaction in PostgreSQL ends before that in SQLite: PostgreSQL ends a transaction that is idle for too long.
    return sqlite.transaction().execute((to) =>
      postgres
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((from) => copyTables((table) => cursorOver(from, table), to)),
    )
  })
}

async function withBoth<T>(
  { file, server }: { file: string; server: PostgresServer },
  work: (sqlite: Kysely<Tables>, postgres: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const sqlite = new Kysely<Tables>({ dialect: nodeSqliteDialect(new DatabaseSync(file, { enableForeignKeyConstraints: true })) })
  const postgres = new Kysely<Tables>({ dialect: postgresDialect(server) })
  try {
    return await work(sqlite, postgres)
  } finally {
    await sqlite.destroy()
  }
}

async function refuseOtherRecords(to: Transaction<Tables>, place: string): Promise<void> {
  const move = await currentMove(to)
  if (move?.state === 'arriving' && move.place === place) return
  const user = await to.selectFrom('users').select('id').limit(1).executeTakeFirst()
  if (user !== undefined)
    throw new DocsearchError('data_unusable', 'The PostgreSQL database already has docsearch users. Name an empty database.')
}

async function copyTables(read: (table: Table) => AsyncIterable<Row>, to: Transaction<Tables>): Promise<RowCounts> {
  const counts = new Map<string, number>()
  for (const table of TABLES) {
    // What a migration or a trigger has written.
    await to.deleteFrom(table).execute()
    const count = await insertAll(to, table, read(table))
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(to)
    if (rows[0]!.n !== count) throw new Error(`the copy of the table ${table} has ${rows[0]!.n} rows instead of ${count}`)
    counts.set(table, count)
  }
  return counts
}

async function insertAll(to: Transaction<Tables>, table: Table, rows: AsyncIterable<Row>): Promise<number> {
  let count = 0
  let batch: Row[] = []
  const insert = async () => {
    for (const part of slices(batch, Object.keys(batch[0] ?? {}).length)) await to.insertInto(table).values(part).execute()
    count += batch.length
    batch = []
  }
  for await (const row of rows) {
    batch.push(withoutRowId(row))
    if (batch.length === ROWS_AT_ONCE) await insert()
  }
  await insert()
  return count
}

/** SQLite gives the rows their ids again, in the same order. */
function withoutRowId(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'rowid'))
}

const PARTS_OF_CURSOR: { readonly [table in Table]?: RawBuilder<unknown> } = {
  // The members of a project are listed in the order of insertion.
  project_members: sql`order by rowid`,
  settings: COPIED_SETTINGS,
}

async function* cursorOver(from: Transaction<Tables>, table: Table): AsyncGenerator<Row> {
  await sql`declare rows_to_copy no scroll cursor for select * from ${sql.table(table)} ${PARTS_OF_CURSOR[table] ?? sql``}`.execute(
    from,
  )
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(ROWS_AT_ONCE)} from rows_to_copy`.execute(from)
    yield* rows
    if (rows.length < ROWS_AT_ONCE) break
  }
  await sql`close rows_to_copy`.execute(from)
}
