import { sql } from 'kysely'
import type { Kysely, Transaction } from 'kysely'
import { PROJECT_ROLES, type ProjectRole, type VisibleProject } from '../../core/model.ts'
import { lastManager, projectNotFound, tooManyMembers } from '../errors.ts'
import { MAX_MEMBERS, type Member, type Members, type Visibility } from '../members.ts'
import { ReadCache } from '../../core/read-cache.ts'
import type { Store } from './store.ts'
import type { Tables } from './tables.ts'

/** Users whose projects to keep in memory. A project takes about 200 bytes. */
const MAX_USERS = 500

export function createMembers(store: Store): Members {
  const { db, membersVersion } = store
  const users = new ReadCache<Visibility>(membersVersion, MAX_USERS)
  return {
    visibleTo: async (userId) => (await users.get(userId, () => visibleTo(db, userId)))!,
    version: membersVersion,
    list: (projectId) => list(db, projectId),
    set: (projectId, userId, role) => store.write((tx) => set(tx.sql, { projectId, userId, role, now: store.now() })),
    remove: (projectId, userId) =>
      store.write(async ({ sql }) => {
        const gone = await sql.deleteFrom('project_members').where(isMember(projectId, userId)).executeTakeFirst()
        if (Number(gone.numDeletedRows) === 0) return false
        await requireManager(sql, projectId)
        return true
      }),
  }
}

async function visibleTo(db: Kysely<Tables>, userId: string): Promise<Visibility> {
  const rows = await db
    .selectFrom('project_members')
    .leftJoin('projects', 'projects.id', 'project_members.project_id')
    .leftJoin('users', 'users.id', 'projects.owner_id')
    .select([
      'project_members.project_id',
      'project_members.role',
      'projects.name',
      'projects.owner_id',
      'users.name as owner_name',
    ])
    .where((e) => e.or([e('user_id', '=', userId), e('user_id', 'is', null)]))
    .execute()
  const projects = new Map<string, VisibleProject>()
  const deletedIds = new Set<string>()
  for (const { project_id: id, role, name, owner_id: ownerId, owner_name: ownerName } of rows) {
    if (name === null || ownerId === null || ownerName === null) deletedIds.add(id)
    else projects.set(id, { id, name, ownerId, ownerName, role: higherRole(role, projects.get(id)?.role) })
  }
  return {
    projects: [...projects.values()].sort((a, b) => compare(a.name, b.name) || compare(a.id, b.id)),
    deletedIds: [...deletedIds],
  }
}

function higherRole(a: ProjectRole, b: ProjectRole = a): ProjectRole {
  return PROJECT_ROLES.indexOf(a) > PROJECT_ROLES.indexOf(b) ? a : b
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

async function list(db: Kysely<Tables>, projectId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('project_members')
    .leftJoin('users', 'users.id', 'project_members.user_id')
    .select(['users.id', 'users.email', 'users.name', 'project_members.role'])
    .where('project_id', '=', projectId)
    .orderBy('project_members.created_at')
    .orderBy(sql`project_members.rowid`)
    .execute()
  return rows.map(({ id, email, name, role }) => ({ user: id === null || name === null ? null : { id, email, name }, role }))
}

/** For a `where`. */
function isMember(projectId: string, userId: string | null) {
  return sql<boolean>`project_id = ${projectId} and user_id is ${userId}`
}

interface NewMember {
  projectId: string
  userId: string | null
  role: ProjectRole
  now: number
}

async function set(tx: Transaction<Tables>, { projectId, userId, role, now }: NewMember): Promise<{ isNew: boolean }> {
  const project = await tx.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()
  if (!project) throw projectNotFound()
  const changed = await tx.updateTable('project_members').set({ role }).where(isMember(projectId, userId)).executeTakeFirst()
  const isNew = Number(changed.numUpdatedRows) === 0
  if (isNew) {
    const members = await tx
      .selectFrom('project_members')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow()
    if (Number(members.count) >= MAX_MEMBERS) throw tooManyMembers(MAX_MEMBERS)
    await tx.insertInto('project_members').values({ project_id: projectId, user_id: userId, role, created_at: now }).execute()
  }
  await requireManager(tx, projectId)
  return { isNew }
}

/** Throws `last_manager` when the project has no manager. Gives it another owner when its owner is none of the managers. */
async function requireManager(tx: Transaction<Tables>, projectId: string): Promise<void> {
  if (!(await giveOwner(tx, projectId))) throw lastManager()
}

/** Makes the earliest manager the owner of a project, unless its owner manages it. Returns false when the project has no manager. */
export async function giveOwner(tx: Transaction<Tables>, projectId: string): Promise<boolean> {
  const { owner_id, name } = await tx
    .selectFrom('projects')
    .select(['owner_id', 'name'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  const managers = await tx
    .selectFrom('project_members')
    .select('user_id')
    .where('project_id', '=', projectId)
    .where('role', '=', 'manager')
    .where('user_id', 'is not', null)
    .orderBy('created_at')
    .orderBy(sql`rowid`)
    .execute()
  if (managers.length === 0) return false
  if (!managers.some(({ user_id }) => user_id === owner_id)) await moveTo(tx, { projectId, name, ownerId: managers[0]!.user_id! })
  return true
}

/** Gives a project another owner. When that user owns a project of the name, the project gets a number. Triggers move the documents. */
export async function moveTo(
  tx: Transaction<Tables>,
  { projectId, name, ownerId }: { projectId: string; name: string; ownerId: string },
): Promise<void> {
  const rows = await tx
    .selectFrom('projects')
    .select('name')
    .where('owner_id', '=', ownerId)
    .where('id', '<>', projectId)
    .execute()
  const taken = new Set(rows.map((row) => row.name))
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${name} (${number})`
  await tx.updateTable('projects').set({ owner_id: ownerId, name: free }).where('id', '=', projectId).execute()
}
