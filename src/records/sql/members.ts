import type { Kysely } from 'kysely'
import { PROJECT_ROLES, type ProjectRole, type VisibleProject } from '../../core/model.ts'
import type { Members, Visibility } from '../members.ts'
import { ReadCache } from '../../core/read-cache.ts'
import type { Store } from './store.ts'
import type { Tables } from './tables.ts'

/** Users whose projects to keep in memory. A project takes about 200 bytes. */
const MAX_USERS = 500

export function createMembers({ db, membersVersion }: Store): Members {
  const users = new ReadCache<Visibility>(membersVersion, MAX_USERS)
  return {
    visibleTo: async (userId) => (await users.get(userId, () => visibleTo(db, userId)))!,
    version: membersVersion,
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
