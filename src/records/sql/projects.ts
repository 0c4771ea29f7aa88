import { newId } from '../../core/ids.ts'
import type { ProjectCounts } from '../../core/model.ts'
import { projectExists } from '../errors.ts'
import type { Projects, ProjectWithCounts } from '../projects.ts'
import { decodeCursor, resultPage } from '../result-page.ts'
import { removeDocuments } from './document-changes.ts'
import { countByProject, zeroCounts } from './document-counts.ts'
import { isUniqueViolation } from './errors.ts'
import { isOneOf } from './project-ids.ts'
import type { Store } from './store.ts'
import type { ProjectRow } from './tables.ts'

export function createProjects(store: Store): Projects {
  const { db, now } = store
  return {
    create: (project) => create(store, project),
    async get(id) {
      const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? withCounts(row, await countByProject(db, [row.id])) : null
    },
    async list(projects, { limit, cursor }) {
      let query = db.selectFrom('projects').selectAll().where(isOneOf('projects.id', projects))
      if (cursor !== undefined) {
        const { value, id } = decodeCursor(cursor, 'string')
        query = query.where((e) => e(e.refTuple('name', 'id'), '>', e.tuple(value, id)))
      }
      const rows = await query
        .orderBy('name')
        .orderBy('id')
        .limit(limit + 1)
        .execute()
      const counts = await countByProject(
        db,
        rows.map((row) => row.id),
      )
      return resultPage(
        rows,
        limit,
        (row) => ({ value: row.name, id: row.id }),
        (row) => withCounts(row, counts),
      )
    },
    async update(id, change) {
      const query = db
        .updateTable('projects')
        .set({ ...change, updated_at: now() })
        .where('id', '=', id)
        .returningAll()
      const row = await orProjectExists(change.name ?? '', () => query.executeTakeFirst())
      return row ? withCounts(row, await countByProject(db, [row.id])) : null
    },
    delete: (id) =>
      store.write(async (tx) => {
        const rows = await tx.sql.selectFrom('documents').selectAll().where('project_id', '=', id).execute()
        await removeDocuments(tx, rows, now())
        const gone = await tx.sql.deleteFrom('projects').where('id', '=', id).returning('id').executeTakeFirst()
        // The members of a deleted project hear of its documents' deletion.
        if (rows.length === 0) await tx.sql.deleteFrom('project_members').where('project_id', '=', id).execute()
        return gone ? { documentIds: rows.map((row) => row.id) } : null
      }),
  }
}

async function create(
  store: Store,
  { ownerId, name, description }: Pick<ProjectWithCounts, 'ownerId' | 'name' | 'description'>,
): Promise<ProjectWithCounts> {
  const at = store.clock.now()
  const created = at.getTime()
  const row = { id: newId('prj', at), owner_id: ownerId, name, description, created_at: created, updated_at: created }
  await store.write(async ({ sql }) => {
    await orProjectExists(name, () => sql.insertInto('projects').values(row).execute())
    const manager = { project_id: row.id, user_id: ownerId, role: 'manager' as const, created_at: created }
    await sql.insertInto('project_members').values(manager).execute()
  })
  return withCounts(row, new Map())
}

async function orProjectExists<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw projectExists(name, error)
  }
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
