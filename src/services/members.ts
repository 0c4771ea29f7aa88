import { DocsearchError } from '../core/errors.ts'
import { EVERYONE, PRIVATE_PROJECT, type ProjectRole, type User } from '../core/model.ts'
import type { Member, Records } from '../records/records.ts'
import { isOwner, requireAdministrator, type Access, type Actor } from './access.ts'
import type { PasswordLink, Users } from './users.ts'

export type { Member } from '../records/records.ts'

/**
 * The members of the actor's projects. A project is named by id or by name; a user by id or by email, or as `everyone`. Every function throws
 * `insufficient_scope`, `project_not_found` and `ambiguous_name`.
 */
export interface Members {
  /** Earliest first. Every member may see the others. */
  list(actor: Actor, project: string): Promise<Member[]>
  /**
   * Adds a member or changes their role. When the owner of the instance names an email that nobody has, invites its user at the same
   * time: the result then has the link to set a password. Throws `insufficient_role`, `user_not_found`, `owner_only`, `last_manager`,
   * `project_is_private`, `everyone_cannot_manage`, `too_many_members` and `limited_to_projects`.
   */
  set(
    actor: Actor,
    project: string,
    user: string,
    membership: { role: ProjectRole; invite: boolean },
  ): Promise<{ member: Member; link: PasswordLink | null }>
  /** Removes a member. Any member may leave. Throws `insufficient_role`, `member_not_found` and `last_manager`. */
  remove(actor: Actor, project: string, user: string): Promise<void>
}

export function createMembers({
  records,
  access,
  users,
}: {
  records: Pick<Records, 'members' | 'users'>
  access: Access
  users: Pick<Users, 'add'>
}): Members {
  const { members } = records

  const find = (user: string): Promise<User | null> =>
    user.includes('@') ? records.users.findByEmail(user) : records.users.get(user)

  /** Finds a user, or invites the owner of an email that nobody has. */
  async function findOrInvite(actor: Actor, user: string, invite: boolean): Promise<{ user: User; link: PasswordLink | null }> {
    const found = await find(user)
    if (found !== null) return { user: found, link: null }
    if (!user.includes('@')) throw userNotFound(user)
    if (!isOwner(actor)) throw cannotInvite(user)
    requireAdministrator(actor)
    if (!invite) throw nobodyHas(user)
    return users.add(actor, { email: user, role: 'member' })
  }

  return {
    async list(actor, project) {
      return members.list((await access.toRead(actor)).require(project).id)
    },

    async set(actor, project, named, { role, invite }) {
      const { id, name } = (await access.toWrite(actor)).requireRole(project, 'manager')
      if (name === PRIVATE_PROJECT) throw isPrivate()
      if (named === EVERYONE) {
        if (role === 'manager') throw everyoneCannotManage()
        await members.set(id, null, role)
        return { member: { user: null, role }, link: null }
      }
      const { user, link } = await findOrInvite(actor, named, invite)
      await members.set(id, user.id, role)
      return { member: { user, role }, link }
    },

    async remove(actor, project, named) {
      const visible = await access.toWrite(actor)
      const { id } = visible.require(project)
      const userId = named === EVERYONE ? null : ((await find(named))?.id ?? named)
      // Anybody may leave.
      if (userId !== actor.userId) visible.requireRole(id, 'manager')
      if (!(await members.remove(id, userId))) throw memberNotFound(named)
    },
  }
}

function userNotFound(id: string): DocsearchError {
  return new DocsearchError(
    'user_not_found',
    `No user has the ID ${JSON.stringify(id.slice(0, 100))}. Use the email address of the user.`,
  )
}

function nobodyHas(email: string): DocsearchError {
  return new DocsearchError('user_not_found', `Nobody here has the address ${JSON.stringify(email.slice(0, 254))}.`)
}

function cannotInvite(email: string): DocsearchError {
  const who = JSON.stringify(email.slice(0, 254))
  return new DocsearchError(
    'owner_only',
    `Nobody on this instance has the address ${who}. Only the owner of the instance can invite somebody: ask the owner to do it.`,
  )
}

export function memberNotFound(user: string): DocsearchError {
  return new DocsearchError('member_not_found', `${JSON.stringify(user.slice(0, 254))} is not a member of the project.`)
}

function isPrivate(): DocsearchError {
  return new DocsearchError(
    'project_is_private',
    `Your project "${PRIVATE_PROJECT}" is private. Create another project to share documents.`,
  )
}

function everyoneCannotManage(): DocsearchError {
  return new DocsearchError(
    'everyone_cannot_manage',
    '`everyone` can be a reader or a writer, but not a manager. Make individual users managers instead.',
  )
}
