import { COUNT_CHANGES } from './change-counts.ts'

// The triggers of SQLite's migrations, which say why they exist (migration-counts.ts, -turns, -quotas, -members, -trash, -folders, -mail). In
// PostgreSQL, a trigger calls a function, and the columns of a conflicting row need the name of their table.

const COUNT = `insert into document_counts (project_id, status, owner_id, documents, chunks, bytes)
    values (new.project_id, new.status, new.owner_id, 1, coalesce(new.chunk_count, 0), new.size_bytes)
    on conflict (project_id, status) do update set documents = document_counts.documents + 1,
      chunks = document_counts.chunks + excluded.chunks, bytes = document_counts.bytes + excluded.bytes;`

const folderOf = (row: 'new' | 'old' | 'removed') => `substr(${row}.path, 1, strpos(${row}.path, '/'))`
const IS_OLD_FOLDER = `project_id = old.project_id and md5(folder) = md5(${folderOf('old')})`
const COUNT_FOLDER = `insert into folder_counts (project_id, folder, documents) values (new.project_id, ${folderOf('new')}, 1)
    on conflict (project_id, md5(folder)) do update set documents = folder_counts.documents + 1;`
const UNCOUNT_FOLDER = `update folder_counts set documents = documents - 1 where ${IS_OLD_FOLDER};
    delete from folder_counts where ${IS_OLD_FOLDER} and documents = 0;`

const USE = `insert into usage (owner_id, documents, bytes, passages) values (new.owner_id, 1, new.size_bytes, new.passages)
    on conflict (owner_id) do update set documents = usage.documents + 1, bytes = usage.bytes + excluded.bytes,
      passages = usage.passages + excluded.passages;`
const USE_TRASH = `insert into usage (owner_id, documents, bytes, passages) values (new.owner_id, 0, new.size_bytes, 0)
    on conflict (owner_id) do update set bytes = usage.bytes + excluded.bytes;`

const QUEUE = `insert into queue_turns (owner_id, turn, waiting) values (new.owner_id, 0, 1)
    on conflict (owner_id) do update set waiting = queue_turns.waiting + 1;`

type Trigger = [name: string, event: string, condition: string | null, body: string]

const TRIGGERS: readonly Trigger[] = [
  ['document_counts_added', 'insert on documents', null, COUNT],
  ['folder_counts_added', 'insert on documents', 'new.parent_id is null', COUNT_FOLDER],
  [
    'folder_counts_changed',
    'update of path, project_id on documents',
    `new.parent_id is null and (new.project_id <> old.project_id or ${folderOf('new')} <> ${folderOf('old')})`,
    `${UNCOUNT_FOLDER} ${COUNT_FOLDER}`,
  ],
  ['queue_turns_added', 'insert on documents', `new.status = 'queued'`, QUEUE],
  ['usage_added', 'insert on documents', null, USE],
  [
    'documents_get_owner',
    'update of owner_id on projects',
    'new.owner_id <> old.owner_id',
    ['documents', 'document_counts', 'synonyms', 'trash']
      .map((table) => `update ${table} set owner_id = new.owner_id where project_id = new.id;`)
      .join('\n    '),
  ],
  ['trash_added', 'insert on trash', null, USE_TRASH],
  // A change of a document's status ends the claim.
  [
    'claims_ended',
    'update of status on documents',
    `old.status = 'processing' and new.status <> 'processing'`,
    'delete from claims where document_id = new.id;',
  ],
]

function triggerFunction(name: string, body: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$
  begin
    ${body}
    return null;
  end
$$`
}

const ROW_TRIGGERS = TRIGGERS.flatMap(([name, event, condition, body]) => [
  triggerFunction(name, body),
  `create trigger ${name} after ${event} for each row ${condition === null ? '' : `when (${condition}) `}execute function ${name}()`,
])

type StatementTrigger = [name: string, event: 'update' | 'delete', table: 'documents' | 'trash', body: string]

/** The rows of an update. New rows count as 1, old rows as -1. */
const CHANGED = '(select 1 as n, * from added union all select -1, * from removed) as changed'

/**
 * Triggers that run once for all rows that a statement changes or removes. With a trigger for each row, a statement with many documents would update
 * the same count many times in one transaction. Each update of a row reads all its earlier versions in the transaction, so the time would grow with
 * the square of the number of documents. Updates change counts in the order of their keys, so that two of them don't block each other.
 */
const STATEMENT_TRIGGERS: readonly StatementTrigger[] = [
  [
    'document_counts_changed',
    'update',
    'documents',
    `insert into document_counts as counts (project_id, status, owner_id, documents, chunks, bytes)
      select project_id, status, max(owner_id), sum(n), sum(n * coalesce(chunk_count, 0)), sum(n * size_bytes)
      from ${CHANGED} group by project_id, status
      having sum(n) <> 0 or sum(n * coalesce(chunk_count, 0)) <> 0 or sum(n * size_bytes) <> 0
      order by project_id, status
      on conflict (project_id, status) do update set documents = counts.documents + excluded.documents,
        chunks = counts.chunks + excluded.chunks, bytes = counts.bytes + excluded.bytes;`,
  ],
  [
    'document_counts_removed',
    'delete',
    'documents',
    `update document_counts as counts
      set documents = counts.documents - gone.documents, chunks = counts.chunks - gone.chunks, bytes = counts.bytes - gone.bytes
      from (select project_id, status, count(*) as documents, sum(coalesce(chunk_count, 0)) as chunks, sum(size_bytes) as bytes
        from removed group by project_id, status) as gone
      where counts.project_id = gone.project_id and counts.status = gone.status;`,
  ],
  [
    'folder_counts_removed',
    'delete',
    'documents',
    `with gone as (select project_id, ${folderOf('removed')} as folder, count(*) as documents from removed
        where parent_id is null group by 1, 2)
      update folder_counts as counts set documents = counts.documents - gone.documents
      from gone where counts.project_id = gone.project_id and md5(counts.folder) = md5(gone.folder);
    delete from folder_counts as counts using (select distinct project_id, ${folderOf('removed')} as folder from removed) as gone
      where counts.project_id = gone.project_id and md5(counts.folder) = md5(gone.folder) and counts.documents = 0;`,
  ],
  [
    'queue_turns_changed',
    'update',
    'documents',
    `insert into queue_turns as turns (owner_id, turn, waiting)
      select owner_id, 0, sum(n) from ${CHANGED} where status = 'queued' group by owner_id having sum(n) <> 0 order by owner_id
      on conflict (owner_id) do update set waiting = turns.waiting + excluded.waiting;`,
  ],
  [
    'queue_turns_deleted',
    'delete',
    'documents',
    `update queue_turns set waiting = waiting - gone.documents
      from (select owner_id, count(*) as documents from removed where status = 'queued' group by owner_id) as gone
      where queue_turns.owner_id = gone.owner_id;`,
  ],
  [
    'usage_changed',
    'update',
    'documents',
    `insert into usage as used (owner_id, documents, bytes, passages)
      select owner_id, sum(n), sum(n * size_bytes), sum(n * passages) from ${CHANGED} group by owner_id
      having sum(n) <> 0 or sum(n * size_bytes) <> 0 or sum(n * passages) <> 0
      order by owner_id
      on conflict (owner_id) do update set documents = used.documents + excluded.documents,
        bytes = used.bytes + excluded.bytes, passages = used.passages + excluded.passages;`,
  ],
  [
    'usage_removed',
    'delete',
    'documents',
    `update usage set documents = usage.documents - gone.documents, bytes = usage.bytes - gone.bytes,
        passages = usage.passages - gone.passages
      from (select owner_id, count(*) as documents, sum(size_bytes) as bytes, sum(passages) as passages
        from removed group by owner_id) as gone
      where usage.owner_id = gone.owner_id;`,
  ],
  [
    'trash_changed',
    'update',
    'trash',
    `insert into usage as used (owner_id, documents, bytes, passages)
      select owner_id, 0, sum(n * size_bytes), 0 from ${CHANGED} group by owner_id having sum(n * size_bytes) <> 0 order by owner_id
      on conflict (owner_id) do update set bytes = used.bytes + excluded.bytes;`,
  ],
  [
    'trash_removed',
    'delete',
    'trash',
    `update usage set bytes = usage.bytes - gone.bytes
      from (select owner_id, sum(size_bytes) as bytes from removed group by owner_id) as gone
      where usage.owner_id = gone.owner_id;`,
  ],
]

const STATEMENT_TRIGGER_STATEMENTS = STATEMENT_TRIGGERS.flatMap(([name, event, table, body]) => [
  triggerFunction(name, body),
  `create trigger ${name} after ${event} on ${table}
    referencing ${event === 'update' ? 'new table as added ' : ''}old table as removed
    for each statement execute function ${name}()`,
])

export const TRIGGER_STATEMENTS: readonly string[] = [...ROW_TRIGGERS, ...STATEMENT_TRIGGER_STATEMENTS, ...COUNT_CHANGES]
