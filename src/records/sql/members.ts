import { sql, type Kysely, type Transaction } from 'kysely'
import type { AuditDetails, AuditFact } from '../../core/audit.ts'
import { PROJECT_ROLES, type ProjectRole, type VisibleProject } from '../../core/model.ts'
import { lastManager, projectNotFound, tooManyMembers } from '../errors.ts'
import { MAX_MEMBERS, type Member, type Members, type Visibility } from '../projects.ts'
import { ReadCache } from '../../core/read-cache.ts'
import { equals } from './per-dialect.ts'
import type { Store, WriteTransaction } from './store.ts'
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
    set: (projectId, userId, role) => store.write((tx) => set(tx, { projectId, userId, role, now: store.now() })),
    takeOver: (projectId, userId) => store.write((tx) => takeOver(tx, { projectId, userId, now: store.now() })),
    remove: (projectId, userId) =>
      store.write(async (tx) => {
        const gone = await tx.sql
          .deleteFrom('project_members')
          .where(isMember(projectId, userId))
          .returning('role')
          .executeTakeFirst()
        if (gone === undefined) return false
        await requireManager(tx.sql, projectId)
        await tx.record({ action: 'member.remove', projectId, ...memberOf(userId, { role: gone.role }) })
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
  return sql<boolean>`project_id = ${projectId} and ${equals('user_id', userId)}`
}

interface NewMember {
  projectId: string
  userId: string | null
  role: ProjectRole
  now: number
}

/** Names a member in the audit log. */
function memberOf(userId: string | null, details: AuditDetails): Pick<AuditFact, 'userId' | 'details'> {
  return userId === null ? { details: { ...details, everyone: true } } : { userId, details }
}

async function set(write: WriteTransaction, { projectId, userId, role, now }: NewMember): Promise<{ isNew: boolean }> {
  const tx = write.sql
  const project = await tx.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()
  if (!project) throw projectNotFound()
  const former = await tx.selectFrom('project_members').select('role').where(isMember(projectId, userId)).executeTakeFirst()
  const isNew = former === undefined
  if (!isNew) await tx.updateTable('project_members').set({ role }).where(isMember(projectId, userId)).execute()
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
  if (isNew) await write.record({ action: 'member.add', projectId, ...memberOf(userId, { role }) })
  else if (former.role !== role)
    await write.record({ action: 'member.change', projectId, ...memberOf(userId, { role, former_role: former.role }) })
  return { isNew }
}

async function takeOver(
  write: WriteTransaction,
  { projectId, userId, now }: { projectId: string; userId: string; now: number },
): ReturnType<Members['takeOver']> {
  const tx = write.sql
  const project = await tx.selectFrom('projects').select('owner_id').where('id', '=', projectId).executeTakeFirst()
  const members = await tx.selectFrom('project_members').selectAll().where('project_id', '=', projectId).execute()
  if (project === undefined || members.some(({ role }) => role === 'manager')) return 'none'
  const isMember = members.some(({ user_id }) => user_id === null || user_id === userId)
  if (!isMember && userId !== project.owner_id) return 'not_a_member'
  await tx.deleteFrom('project_members').where('project_id', '=', projectId).where('user_id', '=', userId).execute()
  const manager = { project_id: projectId, user_id: userId, role: 'manager' as const, created_at: now }
  await tx.insertInto('project_members').values(manager).execute()
  await giveOwner(tx, projectId)
  await write.record({ action: 'project.take_over', projectId, userId })
  return 'done'
}

/** Throws `last_manager` when the project has no manager. Gives it another owner when its owner is not a manager. */
async function requireManager(tx: Transaction<Tables>, projectId: string): Promise<void> {
  if (!(await giveOwner(tx, projectId))) throw lastManager()
}

/** Makes the earliest manager the owner of a project, unless its owner manages it. Returns false when the project has no manager. */
export async function giveOwner(tx: Transaction<Tables>, projectId: string): Promise<boolean> {
  const { owner_id } = await tx.selectFrom('projects').select('owner_id').where('id', '=', projectId).executeTakeFirstOrThrow()
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
  if (!managers.some(({ user_id }) => user_id === owner_id)) await moveTo(tx, projectId, managers[0]!.user_id!)
  return true
}

/**
 * Gives a project another owner. It keeps its name, also when that user owns a project of the same name: another name would tell the
 * members about that project. Triggers move the documents.
 */
export async function moveTo(tx: Transaction<Tables>, projectId: string, ownerId: string): Promise<void> {
  await tx.updateTable('projects').set({ owner_id: ownerId }).where('id', '=', projectId).execute()
}
