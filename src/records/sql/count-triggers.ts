// Triggers count documents in the transaction of the change, also when a foreign key deletes the documents of a deleted project or user.
// They maintain `document_counts`, `folder_counts`, `usage` and `queue_turns`, and give the documents of a project the owner of the project.

type Trigger = [name: string, event: string, condition: string | null, body: string]

const COUNT = `insert into document_counts (project_id, status, owner_id, documents, chunks, bytes)
      values (new.project_id, new.status, new.owner_id, 1, coalesce(new.chunk_count, 0), new.size_bytes)
      on conflict (project_id, status) do update set documents = document_counts.documents + 1,
        chunks = document_counts.chunks + excluded.chunks, bytes = document_counts.bytes + excluded.bytes;`
const USE = `insert into usage (owner_id, documents, bytes, passages) values (new.owner_id, 1, new.size_bytes, new.passages)
      on conflict (owner_id) do update set documents = usage.documents + 1, bytes = usage.bytes + excluded.bytes,
        passages = usage.passages + excluded.passages;`
const USE_TRASH = `insert into usage (owner_id, documents, bytes, passages) values (new.owner_id, 0, new.size_bytes, 0)
      on conflict (owner_id) do update set bytes = usage.bytes + excluded.bytes;`
const QUEUE = `insert into queue_turns (owner_id, turn, waiting) values (new.owner_id, 0, 1)
      on conflict (owner_id) do update set waiting = queue_turns.waiting + 1;`

/** Returns the statements that create the triggers. */
export function countTriggers(database: 'sqlite' | 'postgres'): string[] {
  if (database === 'sqlite')
    return [...triggersOfBoth(database), ...sqliteTriggers()].map(
      ([name, event, condition, body]) =>
        `create trigger ${name} after ${event} ${condition === null ? '' : `when ${condition} `}begin ${body} end`,
    )
  return [
    ...triggersOfBoth(database).flatMap(([name, event, condition, body]) => [
      triggerFunction(name, body),
      `create trigger ${name} after ${event} for each row ${condition === null ? '' : `when (${condition}) `}execute function ${name}()`,
    ]),
    ...STATEMENT_TRIGGERS.flatMap(([name, event, table, body]) => [
      triggerFunction(name, body),
      `create trigger ${name} after ${event} on ${table}
    referencing ${event === 'update' ? 'new table as added ' : ''}old table as removed
    for each statement execute function ${name}()`,
    ]),
  ]
}

function triggerFunction(name: string, body: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$
  begin
    ${body}
    return null;
  end
$$`
}

function triggersOfBoth(database: 'sqlite' | 'postgres'): Trigger[] {
  const { folderOf, countFolder, uncountFolder } = folderParts(database)
  // SQLite has a separate trigger for the trash.
  const owned = ['documents', 'document_counts', 'synonyms', ...(database === 'postgres' ? ['trash'] : [])]
  return [
    ['document_counts_added', 'insert on documents', null, COUNT],
    ['folder_counts_added', 'insert on documents', 'new.parent_id is null', countFolder],
    [
      'folder_counts_changed',
      'update of path, project_id on documents',
      `new.parent_id is null and (new.project_id <> old.project_id or ${folderOf('new')} <> ${folderOf('old')})`,
      `${uncountFolder} ${countFolder}`,
    ],
    ['queue_turns_added', 'insert on documents', `new.status = 'queued'`, QUEUE],
    ['usage_added', 'insert on documents', null, USE],
    ['trash_added', 'insert on trash', null, USE_TRASH],
    [
      'documents_get_owner',
      'update of owner_id on projects',
      'new.owner_id <> old.owner_id',
      owned.map((table) => `update ${table} set owner_id = new.owner_id where project_id = new.id;`).join('\n    '),
    ],
  ]
}

/** Attachments are not in a folder that the user made, so they don't count. */
function folderParts(database: 'sqlite' | 'postgres') {
  const isSqlite = database === 'sqlite'
  const folderOf = (row: 'new' | 'old') => `substr(${row}.path, 1, ${isSqlite ? 'instr' : 'strpos'}(${row}.path, '/'))`
  // In PostgreSQL, the key of a folder is its hash.
  const key = (folder: string) => (isSqlite ? folder : `md5(${folder})`)
  const isOld = `project_id = old.project_id and ${key('folder')} = ${key(folderOf('old'))}`
  return {
    folderOf,
    countFolder: `insert into folder_counts (project_id, folder, documents) values (new.project_id, ${folderOf('new')}, 1)
    on conflict (project_id, ${key('folder')}) do update set documents = folder_counts.documents + 1;`,
    uncountFolder: `update folder_counts set documents = documents - 1 where ${isOld};
    delete from folder_counts where ${isOld} and documents = 0;`,
  }
}

/** PostgreSQL has triggers for whole statements instead. */
function sqliteTriggers(): Trigger[] {
  const uncount = `update document_counts
    set documents = documents - 1, chunks = chunks - coalesce(old.chunk_count, 0), bytes = bytes - old.size_bytes
    where project_id = old.project_id and status = old.status;`
  const unqueue = 'update queue_turns set waiting = waiting - 1 where owner_id = old.owner_id;'
  const disuse = `update usage set documents = documents - 1, bytes = bytes - old.size_bytes, passages = passages - old.passages
    where owner_id = old.owner_id;`
  const disuseTrash = 'update usage set bytes = bytes - old.size_bytes where owner_id = old.owner_id;'
  const hasNewOwner = 'new.owner_id <> old.owner_id'
  return [
    [
      'document_counts_changed',
      'update of status, chunk_count, size_bytes, project_id on documents',
      `new.status <> old.status or new.chunk_count is not old.chunk_count or new.size_bytes <> old.size_bytes
    or new.project_id <> old.project_id`,
      `${uncount} ${COUNT}`,
    ],
    ['document_counts_removed', 'delete on documents', null, uncount],
    ['folder_counts_removed', 'delete on documents', 'old.parent_id is null', folderParts('sqlite').uncountFolder],
    ['queue_turns_queued', 'update of status on documents', `new.status = 'queued' and old.status <> 'queued'`, QUEUE],
    ['queue_turns_left', 'update of status on documents', `old.status = 'queued' and new.status <> 'queued'`, unqueue],
    ['queue_turns_deleted', 'delete on documents', `old.status = 'queued'`, unqueue],
    [
      'queue_turns_moved',
      'update of owner_id on documents',
      `${hasNewOwner} and new.status = 'queued' and old.status = 'queued'`,
      `${unqueue} ${QUEUE}`,
    ],
    [
      'usage_changed',
      'update of size_bytes, passages on documents',
      'new.size_bytes <> old.size_bytes or new.passages <> old.passages',
      `update usage set bytes = bytes + new.size_bytes - old.size_bytes, passages = passages + new.passages - old.passages
    where owner_id = new.owner_id;`,
    ],
    ['usage_removed', 'delete on documents', null, disuse],
    ['usage_moved', 'update of owner_id on documents', hasNewOwner, `${disuse} ${USE}`],
    ['trash_removed', 'delete on trash', null, disuseTrash],
    ['trash_moved', 'update of owner_id on trash', hasNewOwner, `${disuseTrash} ${USE_TRASH}`],
    [
      'trash_gets_owner',
      'update of owner_id on projects',
      hasNewOwner,
      'update trash set owner_id = new.owner_id where project_id = new.id;',
    ],
  ]
}

/** The rows of an update. New rows count as 1, old rows as -1. */
const CHANGED = '(select 1 as n, * from added union all select -1, * from removed) as changed'

const REMOVED_FOLDER = `substr(removed.path, 1, strpos(removed.path, '/'))`

/**
 * Triggers of PostgreSQL that run once for all rows that a statement changes or removes. With a trigger for each row, a statement with many
 * documents would update the same count many times in one transaction. Each update of a row reads all its earlier versions in the transaction,
 * so the time would grow with the square of the number of documents. Updates change counts in the order of their keys, so that two of them
 * don't block each other.
 */
const STATEMENT_TRIGGERS: readonly [name: string, event: 'update' | 'delete', table: 'documents' | 'trash', body: string][] = [
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
    `with gone as (select project_id, ${REMOVED_FOLDER} as folder, count(*) as documents from removed
        where parent_id is null group by 1, 2)
      update folder_counts as counts set documents = counts.documents - gone.documents
      from gone where counts.project_id = gone.project_id and md5(counts.folder) = md5(gone.folder);
    delete from folder_counts as counts using (select distinct project_id, ${REMOVED_FOLDER} as folder from removed) as gone
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
