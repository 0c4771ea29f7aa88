import { type Subject, TABLES } from '../table-changes.ts'

/** What processes that share the database tell each other. Only PostgreSQL has these tables, because a data folder belongs to one process. */
export const SHARED_TABLES = `
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

/**
 * Subjects whose lookups a process may answer from memory. Documents are not among them, because each upload changes them, and reading them is as
 * fast as asking for a version.
 */
const COUNTED_SUBJECTS = ['credentials', 'members', 'synonyms'] as const satisfies readonly Subject[]
export type CountedSubject = (typeof COUNTED_SUBJECTS)[number]

/**
 * Columns whose changes don't count, by subject and table. Using a credential does not change it, and the projects that a user may see don't depend
 * on logins.
 */
const UNCOUNTED: Readonly<Record<CountedSubject, Readonly<Record<string, readonly string[]>>>> = {
  credentials: { api_keys: ['last_used_at'], oauth_grants: ['last_used_at'], sessions: ['last_seen_at', 'expires_at'] },
  members: { users: ['last_login_at'] },
  synonyms: {},
}

/**
 * Grows the version of a subject in the transaction that changes it, so that the version and the change become visible together. It grows once in
 * each transaction, so that deletions of many rows stay fast. The parameter that notes this ends with the transaction, and a rollback to a savepoint
 * resets it. A server that has lost its newest commits in a failover does not count up to the same number again, because the clock has moved on.
 *
 * Transactions that change what is counted run alone, so none waits for another one here.
 */
const COUNT_CHANGE = `create function count_change() returns trigger language plpgsql as $$
  declare
    counted text := 'docsearch.counted_' || tg_argv[0];
  begin
    if current_setting(counted, true) = 'yes' then
      return null;
    end if;
    perform set_config(counted, 'yes', true);
    update changes set version = greatest(version + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
      where subject = tg_argv[0];
    return null;
  end
$$`

/** The name of the setting that has the move of the records as JSON (move.ts). */
export const MOVE_SETTING = 'move'

export const SHARED_TRIGGERS: readonly string[] = [
  // A change of a document's status ends the claim.
  `create function claims_ended() returns trigger language plpgsql as $$
  begin
    delete from claims where document_id = new.id;
    return null;
  end
$$`,
  `create trigger claims_ended after update of status on documents for each row
    when (old.status = 'processing' and new.status <> 'processing') execute function claims_ended()`,
  COUNT_CHANGE,
  // Changes of the measurements don't count: they belong to an index as long as it exists.
  `create trigger indexes_changed after insert or delete or update of state, fingerprint on generations
    for each statement execute function count_change('indexes')`,
  ...COUNTED_SUBJECTS.flatMap((subject) => TABLES[subject].flatMap((table) => triggersOf(subject, table))),
  // Returns the move as JSON, or null. Each query of a volatile function sees what was committed when the query began. So a transaction that has
  // waited for the lock of a move sees this move, although its own statement began before.
  `create function current_move() returns text language plpgsql volatile as $$
  begin
    return (select value from settings where name = '${MOVE_SETTING}');
  end
$$`,
]

/** The triggers run for each row, because a statement that finds no row changes nothing. */
function triggersOf(subject: CountedSubject, table: string): string[] {
  const count = `execute function count_change('${subject}')`
  const without = (row: string) => `to_jsonb(${row}) - '{${(UNCOUNTED[subject][table] ?? []).join(',')}}'::text[]`
  // A use postpones the end of a session. A process that has not noticed this looks the session up again at the former end.
  const endsSooner = table === 'sessions' ? ' or new.expires_at < old.expires_at' : ''
  return [
    `create trigger ${subject}_in_${table}_counted after insert or delete on ${table} for each row ${count}`,
    `create trigger ${subject}_in_${table}_changed after update on ${table}
      for each row when (${without('new')} <> ${without('old')}${endsSooner}) ${count}`,
  ]
}
