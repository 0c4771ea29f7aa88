import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { DocumentEvent } from '../../core/model.ts'
import { DELETED_PROJECT_MS, MAX_EVENTS } from '../events.ts'
import type { Events } from '../events.ts'
import type { ProjectIds } from '../projects.ts'
import { joinNext } from './per-dialect.ts'
import { idRows, isOneOf } from './project-ids.ts'
import { FORGOTTEN, type Store, type WriteTransaction } from './store.ts'
import type { EventRow, Tables } from './tables.ts'

export function createEvents(store: Store): Events {
  const { db, now } = store
  return {
    since: async (projects, afterId, limit) => (await readEvents(db, projects, afterId, limit)).map(toEvent),
    latestId: (projects) => latestId(db, projects),
    async resumeAfter(projects, id) {
      const trimmedId = await latestTrim(db, projects)
      const isKnown = id === 0 || id === trimmedId || (await isStored(db, id))
      const isRecent = id === 0 || id > now() - DELETED_PROJECT_MS
      if (isKnown && isRecent && trimmedId <= id) return { afterId: id, hasMissed: false }
      // A listener that resumes there has missed nothing more.
      return { afterId: Math.max(isKnown ? id : await latestId(db, projects, id), trimmedId), hasMissed: true }
    },
    subscribe: (listener) => store.subscribe(listener),
    async trim(keep = MAX_EVENTS) {
      const projects = await db
        .selectFrom('events')
        .select('project_id')
        .groupBy('project_id')
        .having((e) => e.fn.countAll(), '>', keep)
        .execute()
      for (const { project_id } of projects) await store.write((tx) => trimProject(tx, project_id, keep))
      await store.write((tx) => forgetDeleted(tx, now() - DELETED_PROJECT_MS))
    },
    async key() {
      const row = await db.selectFrom('settings').select('value').where('name', '=', 'event_id_key').executeTakeFirstOrThrow()
      return row.value
    },
  }
}

/**
 * Reads the next events of some projects. They are in the projects whose next event comes first. So this reads one event of each
 * project, and `limit` events of some projects.
 */
async function readEvents(db: Kysely<Tables>, projects: ProjectIds, afterId: number, limit: number): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`select each.* from (
      select project_id from (select project.value as project_id,
          (select min(id) from events where events.project_id = project.value and id > ${afterId}) as next
        from ${idRows(projects)} as project) as heads
      where next is not null order by next limit ${limit}) as first
    ${joinNext} events as each on each.project_id = first.project_id and each.id > ${afterId}
      and each.id in (select id from events where events.project_id = first.project_id and id > ${afterId} order by id limit ${limit})
    order by each.id limit ${limit}`.execute(db)
  return rows
}

function toEvent(row: EventRow): DocumentEvent {
  return {
    id: row.id,
    documentId: row.document_id,
    projectId: row.project_id,
    type: row.type as DocumentEvent['type'],
    data: JSON.parse(row.data) as Record<string, unknown>,
    createdAt: new Date(row.created_at),
  }
}

/** Returns the id of the newest event of the projects up to `limit`, or 0 if there is none. */
async function latestId(db: Kysely<Tables>, projects: ProjectIds, limit = Number.MAX_SAFE_INTEGER): Promise<number> {
  const { rows } = await sql<{ latest: number | null }>`select max(
      (select max(id) from events where events.project_id = project.value and id <= ${limit})) as latest
    from ${idRows(projects)} as project`.execute(db)
  return rows[0]?.latest ?? 0
}

/** Returns true when an event of any project has the id. */
async function isStored(db: Kysely<Tables>, id: number): Promise<boolean> {
  return (await db.selectFrom('events').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

/** Returns the id of the newest trimmed event of the projects, or 0. */
async function latestTrim(db: Kysely<Tables>, projects: ProjectIds): Promise<number> {
  const row = await db
    .selectFrom('event_trims')
    .select((e) => e.fn.max('last_id').as('latest'))
    .where(isOneOf('project_id', projects))
    .executeTakeFirst()
  return row?.latest ?? 0
}

async function trimProject({ sql }: WriteTransaction, projectId: string, keep: number): Promise<void> {
  const newest = await sql
    .selectFrom('events')
    .select('id')
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .offset(keep)
    .limit(1)
    .executeTakeFirst()
  if (newest === undefined) return
  await sql.deleteFrom('events').where('project_id', '=', projectId).where('id', '<=', newest.id).execute()
  await sql
    .insertInto('event_trims')
    .values({ project_id: projectId, last_id: newest.id })
    .onConflict((c) => c.column('project_id').doUpdateSet({ last_id: newest.id }))
    .execute()
}

/** Forgets deleted projects without an event after `before`, and at once those without members who could hear of it. */
async function forgetDeleted({ sql: tx }: WriteTransaction, before: number): Promise<void> {
  const { rows } = await sql<{ project_id: string }>`select project_id from (
      select project_id from project_members union select project_id from event_trims union select project_id from events) as known
    where project_id <> ${FORGOTTEN} and not exists (select 1 from projects where id = known.project_id)
    and not (exists (select 1 from project_members where project_id = known.project_id)
      and exists (select 1 from events where project_id = known.project_id and created_at >= ${before}))`.execute(tx)
  if (rows.length === 0) return
  // The next event needs a greater ID than all events that listeners have read, even if the clock has gone back.
  await sql`insert into event_trims (project_id, last_id) select ${FORGOTTEN}, max(id) from events where true having max(id) > 0
    on conflict (project_id) do update set last_id = excluded.last_id where excluded.last_id > event_trims.last_id`.execute(tx)
  for (const { project_id } of rows)
    for (const table of ['events', 'event_trims', 'project_members'] as const)
      await tx.deleteFrom(table).where('project_id', '=', project_id).execute()
}
