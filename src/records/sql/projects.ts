import { sql, type Kysely, type RawBuilder, type SelectQueryBuilder } from 'kysely'
import { newId } from '../../core/ids.ts'
import type { ProjectCounts } from '../../core/model.ts'
import { projectExists } from '../errors.ts'
import type { ProjectContents, ProjectIds, Projects, ProjectWithCounts } from '../projects.ts'
import { decodeCursor, resultPage, type ListRequest } from '../result-page.ts'
import { removeDocuments } from './document-changes.ts'
import { countByProject, zeroCounts } from './counts.ts'
import { isOneOf } from './project-ids.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { ProjectRow, Tables } from './tables.ts'

export function createProjects(store: Store): Projects {
  const { db, now } = store
  return {
    create: (project) => create(store, project),
    async get(id) {
      const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? withCounts(row, await countByProject(db, [row.id])) : null
    },
    async list(projects, page) {
      const rows = await byName(db.selectFrom('projects').selectAll().where(isOneOf('projects.id', projects)), page).execute()
      const counts = await countByProject(
        db,
        rows.map((row) => row.id),
      )
      return resultPage(rows, page.limit, nameAndId, (row) => withCounts(row, counts))
    },
    contents: (id, maxFolders) => contents(db, id, maxFolders),
    async privateOf(ownerId) {
      const rows = await db
        .selectFrom('projects')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where(hasNoMember(sql`(user_id is null or user_id <> ${ownerId})`))
        .orderBy('name')
        .orderBy('id')
        .execute()
      const counts = await countByProject(
        db,
        rows.map((row) => row.id),
      )
      return rows.map((row) => withCounts(row, counts))
    },
    getUnmanaged: async (id) => (await unmanaged(db).where('id', '=', id).executeTakeFirst()) ?? null,
    async listUnmanaged(page) {
      const rows = await byName(unmanaged(db), page).execute()
      return resultPage(rows, page.limit, nameAndId, (row) => row)
    },
    async update(id, change, visible) {
      const row = await store.write(async (tx) => {
        const former = await tx.sql.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
        if (former !== undefined) await recordUpdate(tx, former, change)
        const changed = await tx.sql
          .updateTable('projects')
          .set({ ...change, updated_at: now() })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
        if (changed !== undefined && change.name !== undefined) await requireOnly(tx.sql, changed, visible)
        return changed
      })
      return row ? withCounts(row, await countByProject(db, [row.id])) : null
    },
    delete: (id) =>
      store.write(async (tx) => {
        const rows = await tx.sql.selectFrom('documents').selectAll().where('project_id', '=', id).execute()
        await recordDeletion(tx, id, rows.length)
        // Before the documents: nothing would send messages to the webhooks about their deletion.
        await tx.sql.deleteFrom('webhooks').where('project_id', '=', id).execute()
        await removeDocuments(tx, rows, now())
        const gone = await tx.sql.deleteFrom('projects').where('id', '=', id).returning('id').executeTakeFirst()
        // The members of a deleted project hear of its documents' deletion.
        if (rows.length === 0) await tx.sql.deleteFrom('project_members').where('project_id', '=', id).execute()
        return gone ? { documentIds: rows.map((row) => row.id) } : null
      }),
  }
}

async function contents(db: Kysely<Tables>, id: string, maxFolders: number): Promise<ProjectContents> {
  const folders = await db
    .selectFrom('folder_counts')
    .select(['folder', 'documents'])
    .where('project_id', '=', id)
    .orderBy('folder')
    .limit(maxFolders)
    .execute()
  const changed = await db
    .selectFrom('documents')
    .select((e) => e.fn.max('updated_at').as('at'))
    .where('project_id', '=', id)
    .executeTakeFirst()
  const trash = await db
    .selectFrom('trash')
    .select((e) => [e.fn.countAll<number>().as('documents'), e.fn.max('trashed_at').as('at')])
    .where('project_id', '=', id)
    .where('parent_id', 'is', null)
    .executeTakeFirst()
  const lastChangedAt = Math.max(changed?.at ?? 0, trash?.at ?? 0)
  return { folders, lastChangedAt: lastChangedAt === 0 ? null : new Date(lastChangedAt), trashed: Number(trash?.documents ?? 0) }
}

/** Adds the order by name and the limits of a result page. */
function byName<O>(query: SelectQueryBuilder<Tables, 'projects', O>, { limit, cursor }: ListRequest) {
  const after = cursor === undefined ? null : decodeCursor(cursor, 'string')
  return query
    .$if(after !== null, (all) => all.where((e) => e(e.refTuple('name', 'id'), '>', e.tuple(after!.value, after!.id))))
    .orderBy('name')
    .orderBy('id')
    .limit(limit + 1)
}

function nameAndId({ name, id }: Pick<ProjectRow, 'name' | 'id'>) {
  return { value: name, id }
}

function unmanaged(db: Kysely<Tables>) {
  return db
    .selectFrom('projects')
    .select(['id', 'name'])
    .where(hasNoMember(sql`role = 'manager'`))
}

/** For a `where`: the project has no member for whom the condition holds. */
function hasNoMember(condition: RawBuilder<unknown>) {
  return sql<boolean>`not exists (select 1 from project_members where project_id = projects.id and ${condition})`
}

async function create(
  store: Store,
  { ownerId, name, description }: Pick<ProjectWithCounts, 'ownerId' | 'name' | 'description'>,
): Promise<ProjectWithCounts> {
  const at = store.clock.now()
  const created = at.getTime()
  const id = newId('prj', at)
  const row = { id, owner_id: ownerId, unique_name: id, name, description, created_at: created, updated_at: created }
  await store.write(async (tx) => {
    await requireOnly(tx.sql, row)
    await tx.sql.insertInto('projects').values(row).execute()
    const manager = { project_id: row.id, user_id: ownerId, role: 'manager' as const, created_at: created }
    await tx.sql.insertInto('project_members').values(manager).execute()
    await tx.record({ action: 'project.create', projectId: id })
  })
  return withCounts(row, new Map())
}

/** Records what changes, with the name that the project has before. */
async function recordUpdate(
  tx: WriteTransaction,
  former: ProjectRow,
  { name, description }: { name?: string; description?: string },
): Promise<void> {
  const isRenamed = name !== undefined && name !== former.name
  const isDescribed = description !== undefined && description !== former.description
  if (!isRenamed && !isDescribed) return
  const details = { ...(isRenamed && { name }), ...(isDescribed && { description: 'changed' }) }
  await tx.record({ action: 'project.update', projectId: former.id, details })
}

/** Records the deletion of a project. Its managers may still read what happened in it. */
export async function recordDeletion(tx: WriteTransaction, projectId: string, documents: number): Promise<void> {
  const project = await tx.sql.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()
  if (project === undefined) return
  await tx.record({ action: 'project.delete', projectId, details: { documents } })
  await tx.sql
    .insertInto('audit_managers')
    .columns(['user_id', 'project_id'])
    .expression((e) =>
      e
        .selectFrom('project_members')
        .select(['user_id', 'project_id'])
        .where('project_id', '=', projectId)
        .where('role', '=', 'manager')
        .where('user_id', 'is not', null)
        .$narrowType<{ user_id: string }>(),
    )
    .onConflict((c) => c.doNothing())
    .execute()
}

/** Throws `project_exists` when the owner has another project of the name, among the visible ones if there are any given. */
async function requireOnly(db: Kysely<Tables>, { id, owner_id, name }: ProjectRow, visible?: ProjectIds): Promise<void> {
  const others = await db
    .selectFrom('projects')
    .select('id')
    .where('owner_id', '=', owner_id)
    .where('name', '=', name)
    .where('id', '<>', id)
    .execute()
  if (others.some((other) => visible?.has(other.id) ?? true)) throw projectExists(name)
}

function withCounts(row: ProjectRow, counts: ReadonlyMap<string, ProjectCounts>): ProjectWithCounts {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    description: row.description,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    counts: counts.get(row.id) ?? zeroCounts(),
  }
}
