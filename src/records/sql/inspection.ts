import { DatabaseSync } from 'node:sqlite'
import { Kysely, type RawBuilder, sql } from 'kysely'
import type {
  DocumentWithOriginal,
  FileInspection,
  InspectedDocument,
  InspectedIndex,
  Inspection,
  WrongCount,
} from '../inspection.ts'
import { COUNTED, COUNTED_WORDS } from './counts.ts'
import { nodeSqliteDialect } from './dialect.ts'
import { pageChecksum } from './document-rows.ts'
import { translateSqlError } from './errors.ts'
import { MIGRATIONS, presentMigrations, recordedMigrations, unknownMigrations } from './migrations.ts'
import { perDialect, textRows } from './per-dialect.ts'
import type { PageRow, Tables } from './tables.ts'
import { readSecrets } from './webhook-messages.ts'

/** Pages to read at once. A page can have a megabyte of text. */
const PAGES_AT_ONCE = 100
/** Columns with times in milliseconds that no clock of the user's choice writes. */
const TIMES = [
  ['documents', 'updated_at'],
  ['events', 'created_at'],
  ['projects', 'updated_at'],
  ['audit_events', 'created_at'],
  ['sessions', 'last_seen_at'],
] as const
const STATES = { active: 'active', building: 'building', kept: 'retired' } as const
const WITH_PROJECT = sql.raw('d.id, p.name as project, d.path')

interface Reader {
  rows<T>(query: RawBuilder<T>): Promise<T[]>
  /** Returns the first row. */
  one<T>(query: RawBuilder<T>): Promise<T>
}

/** Inspects the tables of a SQLite or PostgreSQL database. */
export function createInspection(db: Kysely<Tables>): Inspection {
  const rows = async <T>(query: RawBuilder<T>): Promise<T[]> => (await query.execute(db)).rows
  const reader: Reader = { rows, one: async (query) => (await rows(query))[0]! }
  return {
    async version() {
      const recorded = (await recordedMigrations(db)) ?? []
      if (unknownMigrations(recorded).newer.length > 0) return 'newer'
      const present = presentMigrations(recorded)
      return Object.keys(MIGRATIONS).every((name) => present.includes(name)) ? 'same' : 'older'
    },
    ...inspectTables(reader),
    ...inspectOriginals(reader),
    ...inspectTexts(reader),
    ...inspectCounts(reader),
    ...inspectIndexes(reader),
    close: () => db.destroy(),
  }
}

function inspectTables({ rows, one }: Reader): Pick<Inspection, 'newestRow' | 'totals' | 'webhookSecrets'> {
  return {
    async newestRow() {
      const newest = await Promise.all(
        TIMES.map(([table, column]) =>
          one(sql<{ at: number | null }>`select max(${sql.ref(column)}) as at from ${sql.table(table)}`),
        ),
      )
      const at = Math.max(...newest.map((row) => row.at ?? 0))
      return at === 0 ? null : new Date(at)
    },
    totals: () =>
      one(sql<{ documents: number; ready: number; projects: number }>`select (select count(*) from documents) as documents,
        (select count(*) from projects) as projects, (select count(*) from documents where status = 'ready') as ready`),
    async webhookSecrets() {
      const found = await rows(sql<{ id: string; project: string; secrets: string }>`
        select w.id, p.name as project, w.secrets from webhooks w join projects p on p.id = w.project_id`)
      return found.map(({ secrets, ...webhook }) => ({
        ...webhook,
        sealed: readSecrets({ secrets }).map(({ sealed }) => sealed),
      }))
    },
  }
}

function inspectOriginals({ rows }: Reader): Pick<Inspection, 'originals' | 'referenced' | 'documentsWith' | 'markedOriginals'> {
  return {
    originals: ({ after, limit }) =>
      rows(sql<{ sha256: string; sizeBytes: number }>`select sha256, max(size_bytes) as "sizeBytes" from (
          select sha256, size_bytes from documents where sha256 > ${after}
          union all select sha256, size_bytes from trash where sha256 > ${after}) as originals
        group by sha256 order by sha256 limit ${limit}`),
    async referenced(sha256s) {
      const found = await rows(sql<{ sha256: string }>`select value as sha256 from ${textRows(JSON.stringify(sha256s))} as hashes
        where exists (select 1 from documents where sha256 = hashes.value) or exists (select 1 from trash where sha256 = hashes.value)`)
      return new Set(found.map(({ sha256 }) => sha256))
    },
    documentsWith: (sha256) =>
      rows(sql<InspectedDocument>`
        select ${WITH_PROJECT} from documents d join projects p on p.id = d.project_id where d.sha256 = ${sha256}
        union all select ${WITH_PROJECT} from trash d join projects p on p.id = d.project_id where d.sha256 = ${sha256}`),
    async markedOriginals() {
      return (await rows(sql<{ sha256: string }>`select sha256 from damaged_originals`)).map(({ sha256 }) => sha256)
    },
  }
}

const PAGES_WITH_TEXT = perDialect({
  sqlite: sql`json_extract(d.health, '$.pagesWithText')`,
  postgres: sql`(d.health::json ->> 'pagesWithText')::integer`,
})

function inspectTexts({ rows }: Reader): Pick<Inspection, 'withoutText' | 'withDamagedText'> {
  const found = (where: RawBuilder<unknown>) =>
    rows(sql<DocumentWithOriginal>`select ${WITH_PROJECT}, d.project_id as "projectId", d.sha256
      from documents d join projects p on p.id = d.project_id where ${where}`)
  return {
    withoutText: () =>
      found(sql`d.status = 'ready' and ${PAGES_WITH_TEXT} > (select count(*) from pages where document_id = d.id)`),
    async withDamagedText() {
      const damaged = new Set<string>()
      for (let [after, number] = ['', 0]; ;) {
        const pages = await rows(sql<PageRow>`select * from pages where (document_id, number) > (${after}, ${number})
          order by document_id, number limit ${sql.lit(PAGES_AT_ONCE)}`)
        for (const page of pages) if (page.checksum !== pageChecksum(page)) damaged.add(page.document_id)
        const last = pages.at(-1)
        if (last === undefined) break
        ;[after, number] = [last.document_id, last.number]
      }
      return found(sql`d.id in (select value from ${textRows(JSON.stringify([...damaged]))} as ids)`)
    },
  }
}

function inspectCounts({ one }: Reader): Pick<Inspection, 'wrongCounts' | 'wrongWords'> {
  return {
    async wrongCounts() {
      const wrong: WrongCount[] = []
      for (const [table, { key, values, from }] of Object.entries(COUNTED)) {
        const [columns, keys] = [sql.raw([...key, ...values].join()), sql.raw(key.join())]
        // Rows with zeros count as missing ones.
        const isUsed = sql.raw(values.map((value) => `${value} <> 0`).join(' or '))
        const stored = sql`select ${columns} from ${sql.table(table)} where ${isUsed}`
        const { rows } = await one(sql<{ rows: number }>`select count(*) as rows from (
          select ${keys} from (${stored} except ${from}) as more union select ${keys} from (${from} except ${stored}) as less) as wrong`)
        if (rows > 0) wrong.push({ table: table as WrongCount['table'], rows })
      }
      return wrong
    },
    async wrongWords() {
      const stored = sql`select vocabulary_id, word, term, documents from vocabulary_words`
      const { rows } = await one(sql<{ rows: number }>`select count(*) as rows from (
        select vocabulary_id, word, term from (${stored} except ${COUNTED_WORDS}) as more
        union select vocabulary_id, word, term from (${COUNTED_WORDS} except ${stored}) as less) as wrong`)
      return rows
    },
  }
}

function inspectIndexes({ rows }: Reader): Pick<Inspection, 'indexes' | 'expected' | 'wantedIds' | 'unwanted' | 'documents'> {
  const idsOf = async (query: RawBuilder<{ id: string }>) => (await rows(query)).map(({ id }) => id)
  return {
    async indexes() {
      const found = await rows(sql<Omit<InspectedIndex, 'state'> & { state: keyof typeof STATES }>`
        select id, state, embedding_model as "embeddingModel", dimensions from generations order by created_at`)
      return found.map((index) => ({ ...index, state: STATES[index.state] }))
    },
    async expected({ id, state }) {
      const found = await rows(
        state === 'active'
          ? sql<ExpectedRow>`select id, version, coalesce(chunk_count, 0) as chunks from documents where status = 'ready'`
          : sql<ExpectedRow>`select document_id as id, version, chunks from generation_documents
              where generation_id = ${id} and chunks is not null`,
      )
      return new Map(found.map(({ id: document, version, chunks }) => [document, { version, chunks }]))
    },
    wantedIds: async () => new Set(await idsOf(sql`select id from documents where status <> 'failed'`)),
    async unwanted(documentIds) {
      const ids = sql`${textRows(JSON.stringify(documentIds))} as ids`
      return {
        unwanted: await idsOf(sql`select value as id from ${ids}
          where not exists (select 1 from documents where id = ids.value and status <> 'failed')`),
        waiting: await idsOf(sql`select document_id as id from tombstones where document_id in (select value from ${ids})`),
      }
    },
    documents: (ids) =>
      rows(sql<InspectedDocument>`select ${WITH_PROJECT} from documents d join projects p on p.id = d.project_id
        where d.id in (select value from ${textRows(JSON.stringify(ids))} as ids)`),
  }
}

interface ExpectedRow {
  id: string
  version: number
  chunks: number
}

const BUSY_TIMEOUT_MS = 10_000
/** More problems of the same kind would tell the operator nothing new. */
const MAX_DAMAGE = 20

/** Opens a database file for reading. Throws `database_corrupt` and the other errors of a database as a whole. */
export function openInspection(file: string): FileInspection {
  const database = translated(() => {
    const opened = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    // Opening reads nothing. This query does, so a file that is not a database fails here.
    opened.prepare('select count(*) from sqlite_schema').get()
    return opened
  })
  const rows = <T>(query: string) => translated(() => database.prepare(query).all() as T[])
  return {
    ...createInspection(new Kysely<Tables>({ dialect: nodeSqliteDialect(database) })),
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
  }
}

/** Runs `work`. Throws errors of the database as a whole as DocsearchError (errors.ts). */
export function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translateSqlError(error)
  }
}
