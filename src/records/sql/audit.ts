import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { AuditAction, AuditDetails, AuditEvent } from '../../core/audit.ts'
import type { CallerCredential } from '../../core/caller.ts'
import {
  AUDIT_SCAN,
  changedSettings,
  matchesQuery,
  scanOf,
  type Audit,
  type AuditQuery,
  type AuditScan,
  type AuditSight,
} from '../audit.ts'
import type { ProjectIds } from '../projects.ts'
import { joinNext } from './per-dialect.ts'
import { idRows } from './project-ids.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { AuditEventRow, Tables } from './tables.ts'

export function createAudit(store: Store): Audit {
  const { db } = store
  return {
    record: (fact) => store.write((tx) => tx.record(fact)),
    list: (sight, query) => list(db, sight, query),
    recordSettings: (values) => store.write((tx) => recordSettings(tx, values)),
    async formerProjects(userId) {
      const rows = await db.selectFrom('audit_managers').select('project_id').where('user_id', '=', userId).execute()
      return new Set(rows.map(({ project_id }) => project_id))
    },
    sweep: (before, limit) => store.write((tx) => sweep(tx.sql, before, limit)),
    async key() {
      const row = await db.selectFrom('settings').select('value').where('name', '=', 'audit_id_key').executeTakeFirstOrThrow()
      return row.value
    },
  }
}

async function list(db: Kysely<Tables>, sight: AuditSight, query: AuditQuery): ReturnType<Audit['list']> {
  const scan = scanOf(sight, query)
  const sources = sourcesOf(scan)
  if (sources.length === 0) return { events: [], nextId: null }
  const { rows } = await sql<AuditEventRow>`select audit_events.* from audit_events
    where id in (select id from (${sql.join(sources, sql` union `)}) as sources order by id desc limit ${AUDIT_SCAN})
    order by id desc`.execute(db)
  return {
    events: rows.map(toEvent).filter((event) => matchesQuery(query, event)),
    nextId: rows.length < AUDIT_SCAN ? null : (rows.at(-1)?.id ?? null),
  }
}

/** Returns queries for the newest IDs of the scan. Each reads a part of one index, which has only events that the reader may see. */
function sourcesOf({ userId, projects, ownIn, accounts, documentId, from, to }: AuditScan): RawBuilder<unknown>[] {
  const isWithin = sql`id >= ${from} and id < ${to}`
  const newest = (condition: RawBuilder<unknown>) =>
    sql`select id from audit_events where ${condition} and ${isWithin} order by id desc limit ${AUDIT_SCAN}`
  const newestInEach = (ids: ProjectIds, condition: RawBuilder<unknown>) => sql`select each.id from (
      select project_id from (select project.value as project_id, (select max(id) from audit_events
          where audit_events.project_id = project.value and ${condition} and ${isWithin}) as newest
        from ${idRows(ids)} as project) as heads
      where newest is not null order by newest desc limit ${AUDIT_SCAN}) as first
    ${joinNext} audit_events as each on each.id in (${newest(sql`audit_events.project_id = first.project_id and ${condition}`)})`
  const isOwn = sql`actor_id = ${userId}`
  if (documentId !== undefined) {
    const isIn = (ids: ProjectIds) => sql`project_id in (select value from ${idRows(ids)} as ids)`
    const isOwnThere = ownIn === null ? isOwn : sql`(${isOwn} and ${isIn(ownIn)})`
    return [nested(newest(sql`document_id = ${documentId} and (${isIn(projects)} or ${isOwnThere})`))]
  }
  const sources: RawBuilder<unknown>[] = []
  if (projects.size > 0) sources.push(newestInEach(projects, sql`true`))
  if (ownIn === null) sources.push(nested(newest(accounts === 'none' ? sql`${isOwn} and project_id is not null` : isOwn)))
  else if (ownIn.size > 0) sources.push(newestInEach(ownIn, isOwn))
  if (accounts === 'all') sources.push(nested(newest(sql`project_id is null`)))
  if (accounts === 'own') sources.push(nested(newest(sql`project_id is null and user_id = ${userId}`)))
  return sources
}

/** SQLite allows an order and a limit inside a union only in a subquery. */
function nested(query: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select id from (${query}) as newest`
}

const SETTINGS = 'audit_settings'

async function recordSettings(tx: WriteTransaction, values: Readonly<Record<string, string>>): Promise<void> {
  const row = await tx.sql.selectFrom('settings').select('value').where('name', '=', SETTINGS).executeTakeFirst()
  const changed = row === undefined ? [] : changedSettings(JSON.parse(row.value) as Record<string, string>, values)
  if (row !== undefined && changed.length === 0) return
  const value = JSON.stringify(values)
  await tx.sql
    .insertInto('settings')
    .values({ name: SETTINGS, value })
    .onConflict((c) => c.column('name').doUpdateSet({ value }))
    .execute()
  if (changed.length > 0) await tx.record({ action: 'settings.change', details: { changed } })
}

async function sweep(tx: Kysely<Tables>, before: Date, limit: number): Promise<number> {
  // An ID is at least the time of its event.
  const { rows } = await sql<{ id: number }>`delete from audit_events where id in
    (select id from audit_events where id < ${before.getTime()} order by id limit ${limit}) returning id`.execute(tx)
  if (rows.length > 0)
    await sql`delete from audit_managers
      where not exists (select 1 from audit_events where audit_events.project_id = audit_managers.project_id)`.execute(tx)
  return rows.length
}

function toEvent(row: AuditEventRow): AuditEvent {
  return {
    id: row.id,
    time: new Date(row.created_at),
    action: row.action as AuditAction,
    actor: toUser(row.actor_id, row.actor_name, row.actor_email),
    user: toUser(row.user_id, row.user_name, row.user_email),
    project: row.project_id === null ? null : { id: row.project_id, name: row.project_name ?? '' },
    document: row.document_id === null ? null : { id: row.document_id, name: row.document_name ?? '' },
    address: row.address,
    credential: row.credential === null ? null : (JSON.parse(row.credential) as CallerCredential),
    details: JSON.parse(row.details) as AuditDetails,
  }
}

function toUser(id: string | null, name: string | null, email: string | null): AuditEvent['actor'] {
  return id === null ? null : { id, name: name ?? '', email }
}
