import { DocsearchError } from '../core/errors.ts'
import type { Project, User } from '../core/model.ts'
import type { ListRequest, ResultPage, Records } from '../records/records.ts'
import { requireAdministrator, type Actor } from './access.ts'
import { findUser } from './find-user.ts'
import { memberNotFound } from './members.ts'

/**
 * Projects that have members but no manager, because their only manager was deleted. The owner of the instance sees nothing of them but
 * their names. Every function throws `insufficient_scope`, `owner_only` and `limited_to_projects`.
 */
export interface UnmanagedProjects {
  list(actor: Actor, request: ListRequest): Promise<ResultPage<Pick<Project, 'id' | 'name'>>>
  /** Throws `project_not_found`, also for a project with a manager. */
  get(actor: Actor, id: string): Promise<Pick<Project, 'id' | 'name'>>
  /**
   * Makes a member the manager of the project, or by default the actor, who sees its documents from then on. A member is named by ID or email.
   * Throws `project_not_found`, `user_not_found` and `member_not_found`.
   */
  takeOver(actor: Actor, id: string, member?: string): Promise<User>
}

export function createUnmanagedProjects({
  records,
}: {
  records: Pick<Records, 'projects' | 'members' | 'users'>
}): UnmanagedProjects {
  return {
    async list(actor, request) {
      requireAdministrator(actor)
      return records.projects.listUnmanaged(request)
    },

    async get(actor, id) {
      requireAdministrator(actor)
      const project = await records.projects.getUnmanaged(id)
      if (project === null) throw noSuchProject(id)
      return project
    },

    async takeOver(actor, id, member) {
      requireAdministrator(actor)
      const user = await findUser(records.users, member ?? actor.userId)
      const outcome = await records.members.takeOver(id, user.id)
      if (outcome === 'none') throw noSuchProject(id)
      if (outcome === 'not_a_member') throw memberNotFound(member ?? user.id)
      return user
    },
  }
}

function noSuchProject(id: string): DocsearchError {
  return new DocsearchError(
    'project_not_found',
    `There is no project without a manager with the ID ${JSON.stringify(id.slice(0, 200))}.`,
  )
}
