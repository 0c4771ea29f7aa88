/** What processes that share the database tell each other. Only PostgreSQL has these tables, because a data folder belongs to one process. */
export const PROCESS_TABLES = `
create table workers (
  id text primary key,
  lease_until timestamptz not null
);

create table claims (
  document_id text primary key references documents on delete cascade,
  worker_id text not null references workers on delete cascade
);

create index claims_by_worker on claims (worker_id);

-- Grows with each change of a subject, so that a process sees whether what it remembers is still true.
create table changes (
  subject text primary key,
  version bigint not null
);

insert into changes values ('synonyms', 1);

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
