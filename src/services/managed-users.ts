import type { Quotas, User, VisibleProject } from '../core/model.ts'
import type { Records } from '../records/records.ts'
import type { Actor } from './access.ts'
import { withUsage, type UserWithUsage } from './usage.ts'

/** A user as the owner of the instance sees them. */
export interface ManagedUser extends UserWithUsage {
  /** The number of projects that the user is a member of. */
  projectCount: number
  /** The projects among them that the actor is a member of as well, in order of their names, with the role of the user. */
  sharedProjects: Pick<VisibleProject, 'id' | 'name' | 'role'>[]
}

/** Adds usage, quotas and projects to each user. `ofInstance` are the quotas of users who have none of their own. */
export async function toManagedUsers(
  actor: Actor,
  users: readonly User[],
  { records, ofInstance }: { records: Pick<Records, 'users' | 'members'>; ofInstance: Quotas },
): Promise<ManagedUser[]> {
  const { projects: ofActor } = await records.members.visibleTo(actor.userId)
  const ids = new Set(ofActor.map(({ id }) => id))
  const managed: ManagedUser[] = []
  for (const user of await withUsage(users, { records, ofInstance })) {
    const { projects } = await records.members.visibleTo(user.id)
    const shared = projects.filter(({ id }) => ids.has(id)).map(({ id, name, role }) => ({ id, name, role }))
    managed.push({ ...user, projectCount: projects.length, sharedProjects: shared })
  }
  return managed
}
