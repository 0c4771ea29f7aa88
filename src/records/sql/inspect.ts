import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue } from 'node:sqlite'
import type { InspectedDocument, InspectedIndex, Inspection, WrongCount } from '../inspection.ts'
import { translateSqlError } from './errors.ts'
import { MIGRATIONS } from './migrations.ts'
import { pageChecksum } from './page-checksum.ts'
import { COUNTED, COUNTED_WORDS } from './stored-counts.ts'
import type { PageRow } from './tables.ts'
import { readSecrets } from './webhook-rows.ts'

const BUSY_TIMEOUT_MS = 10_000
/** More problems of the same kind would tell the operator nothing new. */
const MAX_DAMAGE = 20
/** Columns with times in milliseconds that no clock of the user's choice writes. */
const TIMES = [
  ['documents', 'updated_at'],
  ['events', 'created_at'],
  ['projects', 'updated_at'],
  ['audit_events', 'created_at'],
  ['sessions', 'last_seen_at'],
] as const
const STATES = { active: 'active', building: 'building', kept: 'retired' } as const
const WITH_PROJECT = 'd.id, p.name as project, d.path'

/** Opens a database for reading. Throws `database_corrupt` and the other errors of a database as a whole. */
export function openInspection(file: string): Inspection {
  const database = translated(() => {
    const opened = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    // Opening reads nothing. This query does, so a file that is not a database fails here.
    opened.prepare('select count(*) from sqlite_schema').get()
    return opened
  })
  const reader: Reader = {
    rows: <T>(sql: string, ...parameters: SQLInputValue[]) => translated(() => database.prepare(sql).all(...parameters) as T[]),
    one: <T>(sql: string) => translated(() => database.prepare(sql).get() as T),
    *each<T>(sql: string) {
      const rows = translated(() => database.prepare(sql).iterate())
      for (let next = translated(() => rows.next()); next.done !== true; next = translated(() => rows.next()))
        yield next.value as T
    },
  }
  return {
    ...inspectFile(reader),
    ...inspectOriginals(reader),
    ...inspectTexts(reader),
    ...inspectCounts(reader),
    ...inspectIndexes(reader),
    close: () => database.close(),
  }
}

interface Reader {
  rows<T>(sql: string, ...parameters: SQLInputValue[]): T[]
  /** Returns the first row. */
  one<T>(sql: string): T
  /** Yields rows one by one, because a large table does not fit into memory. */
  each<T>(sql: string): Generator<T>
}

function inspectFile({
  rows,
  one,
}: Reader): Pick<Inspection, 'version' | 'damage' | 'brokenReferences' | 'newestRow' | 'totals'> {
  const hasTable = (name: string) => rows(`select 1 from sqlite_schema where type = 'table' and name = ?`, name).length > 0
  return {
    version() {
      if (!hasTable('kysely_migration')) return 'older'
      const done = new Set(rows<{ name: string }>('select name from kysely_migration').map(({ name }) => name))
      if ([...done].some((name) => !(name in MIGRATIONS))) return 'newer'
      return Object.keys(MIGRATIONS).every((name) => done.has(name)) ? 'same' : 'older'
    },
    damage(isThorough) {
      const found = rows<Record<string, unknown>>(`pragma ${isThorough ? 'integrity_check' : 'quick_check'}(${MAX_DAMAGE})`)
      return found.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok')
    },
    brokenReferences() {
      const found = rows<{ table: string; parent: string }>('pragma foreign_key_check')
      const groups = Map.groupBy(found, ({ table, parent }) => `${table} ${parent}`)
      return [...groups.values()].map((group) => ({
        table: group[0]!.table,
        refersTo: group[0]!.parent,
        rows: group.length,
      }))
    },
    newestRow() {
      const newest = TIMES.map(([table, column]) => one<{ at: number | null }>(`select max(${column}) as at from ${table}`).at)
      const at = Math.max(...newest.map((time) => time ?? 0))
      return at === 0 ? null : new Date(at)
    },
    totals: () =>
      one(`select (select count(*) from documents) as documents, (select count(*) from projects) as projects,
        (select count(*) from documents where status = 'ready') as ready`),
  }
}

function inspectOriginals({
  rows,
}: Reader): Pick<Inspection, 'originals' | 'documentsWith' | 'markedOriginals' | 'webhookSecrets'> {
  return {
    originals: () =>
      rows(`select sha256, max(size_bytes) as sizeBytes
        from (select sha256, size_bytes from documents union all select sha256, size_bytes from trash) group by sha256 order by sha256`),
    documentsWith: (sha256) =>
      rows(
        `select ${WITH_PROJECT} from documents d join projects p on p.id = d.project_id where d.sha256 = ?
        union all select ${WITH_PROJECT} from trash d join projects p on p.id = d.project_id where d.sha256 = ?`,
        sha256,
        sha256,
      ),
    markedOriginals: () => rows<{ sha256: string }>('select sha256 from damaged_originals').map(({ sha256 }) => sha256),
    webhookSecrets: () =>
      rows<{ id: string; project: string; secrets: string }>(
        'select w.id, p.name as project, w.secrets from webhooks w join projects p on p.id = w.project_id',
      ).map(({ secrets, ...webhook }) => ({ ...webhook, sealed: readSecrets({ secrets }).map(({ sealed }) => sealed) })),
  }
}

function inspectTexts({ rows, each }: Reader): Pick<Inspection, 'withoutText' | 'withDamagedText'> {
  const found = `select ${WITH_PROJECT}, d.project_id as projectId, d.sha256 from documents d join projects p on p.id = d.project_id`
  return {
    withoutText: () =>
      rows(`${found} where d.status = 'ready'
            and json_extract(d.health, '$.pagesWithText') > (select count(*) from pages where document_id = d.id)`),
    withDamagedText() {
      const damaged = new Set<string>()
      const pages = each<PageRow>('select document_id, text, blocks, checksum from pages')
      for (const page of pages) if (page.checksum !== pageChecksum(page)) damaged.add(page.document_id)
      return rows(`${found} where d.id in (select value from json_each(?))`, JSON.stringify([...damaged]))
    },
  }
}

function inspectCounts({ one }: Reader): Pick<Inspection, 'wrongCounts' | 'wrongWords'> {
  return {
    wrongCounts: () =>
      Object.entries(COUNTED).flatMap(([table, { key, values, from }]): WrongCount[] => {
        const columns = [...key, ...values].join()
        const isUsed = values.map((value) => `${value} <> 0`).join(' or ')
        // Rows with zeros count as missing ones.
        const [stored, counted] = [`select ${columns} from ${table} where ${isUsed}`, from]
        const { rows: wrong } = one<{ rows: number }>(`select count(*) as rows from (
          select ${key.join()} from (select * from (${stored}) except select * from (${counted}))
          union select ${key.join()} from (select * from (${counted}) except select * from (${stored})))`)
        return wrong === 0 ? [] : [{ table: table as WrongCount['table'], rows: wrong }]
      }),
    wrongWords() {
      const stored = 'select vocabulary_id, word, term, documents from vocabulary_words'
      return one<{ rows: number }>(`select count(*) as rows from (
        select vocabulary_id, word, term from (${stored} except ${COUNTED_WORDS})
        union select vocabulary_id, word, term from (${COUNTED_WORDS} except ${stored}))`).rows
    },
  }
}

function inspectIndexes({ rows }: Reader): Pick<Inspection, 'indexes' | 'expected' | 'wantedIds' | 'unwanted' | 'documents'> {
  return {
    indexes: () =>
      rows<Omit<InspectedIndex, 'state'> & { state: keyof typeof STATES }>(
        `select id, state, embedding_model as embeddingModel, dimensions from generations order by created_at`,
      ).map((index) => ({ ...index, state: STATES[index.state] })),
    expected({ id, state }) {
      const found =
        state === 'active'
          ? rows<ExpectedRow>(`select id, version, coalesce(chunk_count, 0) as chunks from documents where status = 'ready'`)
          : rows<ExpectedRow>(
              `select document_id as id, version, chunks from generation_documents where generation_id = ? and chunks is not null`,
              id,
            )
      return new Map(found.map(({ id: document, version, chunks }) => [document, { version, chunks }]))
    },
    wantedIds: () => new Set(rows<{ id: string }>(`select id from documents where status <> 'failed'`).map(({ id }) => id)),
    unwanted(documentIds) {
      const ids = JSON.stringify(documentIds)
      const idsOf = (sql: string) => rows<{ id: string }>(sql, ids).map(({ id }) => id)
      return {
        unwanted: idsOf(`select value as id from json_each(?)
          where not exists (select 1 from documents where id = value and status <> 'failed')`),
        waiting: idsOf('select document_id as id from tombstones where document_id in (select value from json_each(?))'),
      }
    },
    documents: (ids) =>
      rows<InspectedDocument>(
        `select ${WITH_PROJECT} from documents d join projects p on p.id = d.project_id where d.id in (select value from json_each(?))`,
        JSON.stringify(ids),
      ),
  }
}

interface ExpectedRow {
  id: string
  version: number
  chunks: number
}

/** Runs `work`. Throws errors of the database as a whole as DocsearchError (errors.ts). */
export function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translateSqlError(error)
  }
}
