import { sql, type Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { randomBytes } from 'node:crypto'
import { MIGRATIONS } from '../migrations.ts'
import { ACCOUNT_TABLES } from './account-tables.ts'
import { DOCUMENT_TABLES } from './document-tables.ts'
import { MOVE_FUNCTION } from './move.ts'
import { TRIGGER_STATEMENTS } from './triggers.ts'

/** Makes the tables as SQLite has them after its migrations up to this name. */
const BASE = '0030_postgres'

/** The migrations of PostgreSQL: one that makes all tables, and those that came later, which both databases run. */
export const POSTGRES_MIGRATIONS: Record<string, Migration> = {
  [BASE]: { up: makeTables },
  ...Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name > BASE)),
}

async function makeTables(db: Kysely<never>): Promise<void> {
  const tables = [ACCOUNT_TABLES, DOCUMENT_TABLES, PROCESS_TABLES].join('').split(';\n')
  for (const statement of [...tables, ...TRIGGER_STATEMENTS, MOVE_FUNCTION])
    if (statement.trim() !== '') await sql.raw(compareByCodePoints(statement)).execute(db)
  for (const name of ['event_id_key', 'audit_id_key'])
    await sql`insert into settings (name, value) values (${name}, ${randomBytes(32).toString('hex')})`.execute(db)
}

/** Texts compare and sort as in SQLite, whatever the language of the database is. */
function compareByCodePoints(statement: string): string {
  return statement.replaceAll(/^( {2}\w+ text)\b/gm, '$1 collate "C"')
}

/** What processes that share the database tell each other. Only PostgreSQL has these tables, because a data folder belongs to one process. */
const PROCESS_TABLES = `
create table workers (
  id text primary key,
  lease_until timestamptz not null
);

create table claims (
  document_id text primary key references documents on delete cascade,
  -- Null for a document that waits until the process that writes the index takes it over.
  worker_id text references workers on delete cascade
);

create index claims_by_worker on claims (worker_id);

-- Grows with each change of a subject, so that a process sees whether what it remembers is still true.
create table changes (
  subject text primary key,
  version bigint not null
);

insert into changes values ('credentials', 1), ('members', 1), ('synonyms', 1), ('indexes', 1), ('models', 1);

-- The newest commit to each index, which searches have to see. No reference to the index, because processes note commits until they learn that it is gone.
create table index_commits (
  index_id text primary key,
  number bigint not null
);

-- What at most one process does. The fence grows with each process that takes a lease.
create table leases (
  name text primary key,
  holder text not null,
  fence bigint not null,
  expires_at timestamptz not null
);

insert into leases values ('writer', '', 0, '-infinity');

-- Views with a new secret, encrypted. The text is null once the view was shown.
create table shown_once (
  id text primary key,
  session_id text not null references sessions on delete cascade,
  text text,
  next text not null,
  ends_at timestamptz not null
);

create index shown_once_by_session on shown_once (session_id);

-- Keys that all processes need. Only the database has them.
create table secrets (
  name text primary key,
  value text not null
);

-- Counts of requests and failed logins. Unlogged: writing costs less, and like a restart, a crash of the database forgets them.
create unlogged table rate_windows (
  counter text not null,
  key text not null,
  count integer not null,
  ends_at timestamptz not null,
  primary key (counter, key)
);

create index rate_windows_by_end on rate_windows (ends_at);
`
