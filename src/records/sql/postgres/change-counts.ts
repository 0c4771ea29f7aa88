import { type Subject, TABLES } from '../subjects.ts'

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

export const COUNT_CHANGES: readonly string[] = [
  COUNT_CHANGE,
  // Changes of the measurements don't count: they belong to an index as long as it exists.
  `create trigger indexes_changed after insert or delete or update of state, fingerprint on generations
    for each statement execute function count_change('indexes')`,
  ...COUNTED_SUBJECTS.flatMap((subject) => TABLES[subject].flatMap((table) => triggersOf(subject, table))),
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
