import type { Accounts } from '../auth/accounts.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Principal, ProjectCounts, Quotas, Usage, User, VisibleProject } from '../core/model.ts'
import { NO_USAGE } from '../records/quotas.ts'
import type { ProjectIds, Records } from '../records/records.ts'
import { actorOf, requireScopesForPassword, type Access, type Actor } from './access.ts'
import { withUsage, type UserWithUsage } from './usage.ts'

/** A user's own account. Logins, sessions and one-time links are in auth/accounts.ts, because they are used before there is an actor. */
export interface Account {
  /** Returns the actor behind an accepted credential. Throws `invalid_token` when the user was deleted in the meantime. */
  identify(principal: Principal): Promise<Actor>
  /** Throws `invalid_token` when the user was deleted in the meantime. */
  get(actor: Actor): Promise<User>
  /**
   * Like `get`, with the user's usage and quotas, and the projects that the credential is limited to (null without a limit). With a
   * limit, only documents in these projects count.
   */
  getWithUsage(actor: Actor): Promise<UserWithUsage & { projects: Pick<VisibleProject, 'id' | 'name'>[] | null }>
  /** Throws `user_exists` when another user has the email, `insufficient_scope`. */
  update(actor: Actor, change: { name: string; email: string }): Promise<void>
  /**
   * Returns false when `current` is not the password. A failure counts as a failed login from `address`.
   * Throws `password_too_short`, `password_too_long`, `password_too_common`, `too_many_failures`, `insufficient_scope`.
   */
  changePassword(actor: Actor, change: { current: string; password: string; address: string }): Promise<boolean>
}

export function createAccount(options: {
  records: Pick<Records, 'users' | 'projects'>
  accounts: Pick<Accounts, 'checkPassword' | 'setPassword'>
  access: Pick<Access, 'toCount'>
  /** The quotas of users who have none of their own. */
  quotas: Quotas
}): Account {
  const { accounts, access } = options
  const { users, projects } = options.records

  async function find(userId: string): Promise<User> {
    const user = await users.get(userId)
    if (user === null) throw new DocsearchError('invalid_token', 'The user of this credential no longer exists.')
    return user
  }

  /** Returns the user's usage in some projects. */
  async function usageIn(ids: ProjectIds, ownerId: string): Promise<Usage> {
    const { items } = await projects.list(ids, { limit: ids.size })
    return items.reduce((sum, project) => (project.ownerId === ownerId ? addCounts(sum, project.counts) : sum), NO_USAGE)
  }

  return {
    identify: async (principal) => actorOf(await find(principal.userId), principal.scopes, principal.projectIds),

    get: (actor) => find(actor.userId),

    async getWithUsage(actor) {
      const [user] = await withUsage([await find(actor.userId)], { records: options.records, ofInstance: options.quotas })
      const visible = await access.toCount(actor)
      if (actor.projectIds === null) return { ...user!, projects: null }
      return { ...user!, usage: await usageIn(visible.ids, actor.userId), projects: visible.named([...actor.projectIds]) }
    },

    async update(actor, change) {
      // Users log in with their email, so changing it is like changing the password.
      requireScopesForPassword(actor, await find(actor.userId))
      await users.update(actor.userId, change)
    },

    async changePassword(actor, { current, password, address }) {
      requireScopesForPassword(actor, await find(actor.userId))
      if (!(await accounts.checkPassword(actor.userId, current, address))) return false
      await accounts.setPassword(actor.userId, password)
      return true
    },
  }
}

function addCounts({ documents, bytes, passages }: Usage, counts: ProjectCounts): Usage {
  return { documents: documents + counts.documents, bytes: bytes + counts.bytes, passages: passages + counts.chunks }
}
