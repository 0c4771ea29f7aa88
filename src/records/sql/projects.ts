import { newId } from '../../core/ids.ts'
import type { ProjectCounts } from '../../core/model.ts'
import { projectExists } from '../errors.ts'
import type { Projects, ProjectWithCounts } from '../projects.ts'
import { decodeCursor, resultPage } from '../result-page.ts'
import { removeDocuments } from './document-changes.ts'
import { countByProject, zeroCounts } from './document-counts.ts'
import { isUniqueViolation } from './errors.ts'
import { ReadCache } from '../../core/read-cache.ts'
import { slices, type Store } from './store.ts'
import type { ProjectRow } from './tables.ts'

/** IDs of projects to keep in memory, by their names, for searches. */
const MAX_IDS = 1_000

export function createProjects(store: Store): Projects {
  const { db, clock, now, documentsVersion } = store
  const ids = new ReadCache<string>(documentsVersion, MAX_IDS)

  async function findRow(ownerId: string, idOrName: string): Promise<ProjectRow | undefined> {
    const rows = await db
      .selectFrom('projects')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .where((e) => e.or([e('id', '=', idOrName), e('name', '=', idOrName)]))
      .execute()
    // The name of a project may be the id of another one. The id wins.
    return rows.find((candidate) => candidate.id === idOrName) ?? rows[0]
  }

  async function find(ownerId: string, idOrName: string): Promise<ProjectWithCounts | null> {
    const row = await findRow(ownerId, idOrName)
    return row ? withCounts(row, await countByProject(db, [row.id])) : null
  }

  return {
    async create({ ownerId, name, description }) {
      const at = clock.now()
      const created = at.getTime()
      const row = { id: newId('prj', at), owner_id: ownerId, name, description, created_at: created, updated_at: created }
      await orProjectExists(name, () => db.insertInto('projects').values(row).execute())
      return withCounts(row, new Map())
    },
    find,
    findId: async (ownerId, idOrName) =>
      (await ids.get(`${ownerId} ${idOrName}`, async () => (await findRow(ownerId, idOrName))?.id)) ?? null,
    names: (ownerId, ids) => namesOf(store, ownerId, ids),
    async list(ownerId, { limit, cursor }) {
      let query = db.selectFrom('projects').selectAll().where('owner_id', '=', ownerId)
      if (cursor !== undefined) query = query.where('name', '>', decodeCursor(cursor, 'string').value)
      const rows = await query
        .orderBy('name')
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
    async update(ownerId, id, change) {
      const query = db
        .updateTable('projects')
        .set({ ...change, updated_at: now() })
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .returningAll()
      const row = await orProjectExists(change.name ?? '', () => query.executeTakeFirst())
      return row ? withCounts(row, await countByProject(db, [row.id])) : null
    },
    delete: (ownerId, id) =>
      store.write(async (tx) => {
        const project = await tx.sql
          .selectFrom('projects')
          .select('id')
          .where('owner_id', '=', ownerId)
          .where('id', '=', id)
          .executeTakeFirst()
        if (!project) return null
        const rows = await tx.sql.selectFrom('documents').selectAll().where('project_id', '=', id).execute()
        await removeDocuments(tx, rows, now())
        await tx.sql.deleteFrom('projects').where('id', '=', id).execute()
        return { documentIds: rows.map((row) => row.id) }
      }),
  }
}

async function namesOf({ db }: Store, ownerId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const part of slices(ids)) {
    const query = db.selectFrom('projects').select(['id', 'name']).where('owner_id', '=', ownerId).where('id', 'in', part)
    for (const { id, name } of await query.execute()) names.set(id, name)
  }
  return names
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
