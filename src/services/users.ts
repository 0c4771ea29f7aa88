import type { Accounts } from '../auth/accounts.ts'
import { checkNewPassword } from '../auth/password-rules.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import type { LinkPurpose, QuotaChange, Quotas, User, VisibleProject } from '../core/model.ts'
import type { ListRequest, ProjectWithCounts, ResultPage, Records } from '../records/records.ts'
import { requireAdministrator, requireScopesForPassword, type Actor } from './access.ts'
import { withUsage, type UserWithUsage } from './usage.ts'

export interface NewUser {
  email: string
  /** Default: the part of the email before the @. */
  name?: string | undefined
  /** Without a password, the user sets one through a link. */
  password?: string | undefined
  /** `owner` completes the owner's account, which the first start made without email and password. */
  role: User['role']
}

/** Opens the page where the user sets a password, once and until `expiresAt`. */
export interface PasswordLink {
  token: string
  purpose: LinkPurpose
  expiresAt: Date
}

export interface UserChange {
  name?: string | undefined
  disabled?: boolean | undefined
  /** The user's own quotas: null for the instance's quota, 0 for no quota. */
  quotas?: QuotaChange | undefined
}

/**
 * The users of the instance, for its owner. A user is named by id or by email. Every function throws `insufficient_scope` and `owner_only`
 * for another actor, and `user_not_found`.
 */
export interface Users {
  list(actor: Actor, request: ListRequest): Promise<ResultPage<ManagedUser>>
  /**
   * Adds a user; the first one becomes the owner. Without a password the result has a link to set one.
   * Throws `user_exists`, `owner_exists`, `password_too_short`, `password_too_long`, `password_too_common`; then no user was added.
   */
  add(actor: Actor, user: NewUser): Promise<{ user: ManagedUser; link: PasswordLink | null }>
  get(actor: Actor, idOrEmail: string): Promise<ManagedUser>
  /** Throws `owner_stays` when the owner would be disabled. */
  update(actor: Actor, idOrEmail: string, change: UserChange): Promise<ManagedUser>
  /** Makes a new link to set a password. The old password stays good until the link is used. Throws `user_disabled`. */
  resetPassword(actor: Actor, idOrEmail: string): Promise<{ user: ManagedUser; link: PasswordLink }>
  /** Deletes the user with their private projects and all other data. Throws `owner_stays`. */
  delete(actor: Actor, idOrEmail: string): Promise<{ user: User; documentsDeleted: number }>
  /** Returns the user and the private projects that a deletion of the user would delete. */
  previewDeletion(actor: Actor, idOrEmail: string): Promise<{ user: User; projects: PrivateProject[] }>
}

export interface PrivateProject extends ProjectWithCounts {
  /** The number of documents in the trash. */
  trashed: number
}

export interface UsersOptions {
  records: Pick<Records, 'users' | 'projects' | 'members'>
  accounts: Pick<Accounts, 'setPassword' | 'issueLink'>
  /** The quotas of users who have none of their own. */
  quotas: Quotas
  /** Deletes the user with all their data and returns the number of documents; null when there is no such user. Throws `owner_stays`. */
  deleteUser(id: string): Promise<number | null>
}

export function createUsers(options: UsersOptions): Users {
  const { records, accounts, quotas: ofInstance, deleteUser } = options
  const { users } = records

  const issueLink = async (user: User, purpose: LinkPurpose): Promise<PasswordLink> => ({
    ...(await accounts.issueLink(user.id, purpose)),
    purpose,
  })

  const present = async (actor: Actor, user: User): Promise<ManagedUser> =>
    (await toManagedUsers(actor, [user], { records, ofInstance }))[0]!

  return {
    async list(actor, request) {
      requireAdministrator(actor)
      const { items, nextCursor } = await users.list(request)
      return { items: await toManagedUsers(actor, items, { records, ofInstance }), nextCursor }
    },

    async add(actor, { email, name, password, role }) {
      requireAdministrator(actor)
      const shownName = name ?? email.split('@')[0] ?? email
      const owner = role === 'owner' ? await users.owner() : null
      if (role === 'owner') requireScopesForPassword(actor, owner ?? { id: '', role })
      if (password !== undefined) checkNewPassword(password, { email, name: shownName })
      const user =
        owner === null
          ? await createUser(users, { email, name: shownName })
          : await completeOwner(users, owner, name === undefined ? { email } : { email, name })
      if (password === undefined) return { user: await present(actor, user), link: await issueLink(user, purposeFor(user)) }
      await accounts.setPassword(user.id, password)
      return { user: await present(actor, { ...user, hasPassword: true }), link: null }
    },

    async get(actor, idOrEmail) {
      requireAdministrator(actor)
      return present(actor, await findUser(users, idOrEmail))
    },

    async update(actor, idOrEmail, { name, disabled, quotas }) {
      requireAdministrator(actor)
      let user: User | null = await findUser(users, idOrEmail)
      const { id } = user
      // `setDisabled` can refuse, so it comes first.
      if (disabled !== undefined) user = await users.setDisabled(id, disabled)
      if (name !== undefined) user = await users.update(id, { name })
      if (quotas !== undefined) user = await users.update(id, { quotas })
      if (user === null) throw userNotFound(idOrEmail)
      return present(actor, user)
    },

    async resetPassword(actor, idOrEmail) {
      requireAdministrator(actor)
      const user = await findUser(users, idOrEmail)
      requireScopesForPassword(actor, user)
      if (user.disabledAt !== null)
        throw new DocsearchError('user_disabled', "This user is disabled, so a link wouldn't work. Enable the user first.")
      return { user: await present(actor, user), link: await issueLink(user, purposeFor(user)) }
    },

    async delete(actor, idOrEmail) {
      requireAdministrator(actor)
      const user = await findUser(users, idOrEmail)
      return { user, documentsDeleted: (await deleteUser(user.id)) ?? 0 }
    },

    async previewDeletion(actor, idOrEmail) {
      requireAdministrator(actor)
      const user = await findUser(users, idOrEmail)
      const projects = await records.projects.privateOf(user.id)
      const contents = await Promise.all(projects.map(({ id }) => records.projects.contents(id, 0)))
      return { user, projects: projects.map((project, i) => ({ ...project, trashed: contents[i]!.trashed })) }
    },
  }
}

/** Two calls at once may both find that there is no owner; the one that comes second then adds a member. */
async function createUser(users: Records['users'], user: { email: string; name: string }): Promise<User> {
  if ((await users.owner()) !== null) return users.create({ ...user, role: 'member' })
  try {
    return await users.create({ ...user, role: 'owner' })
  } catch (error) {
    if (!isDocsearchError(error, 'owner_exists')) throw error
    return users.create({ ...user, role: 'member' })
  }
}

/** The first start makes the owner without email and password. */
async function completeOwner(users: Records['users'], owner: User, change: { email: string; name?: string }): Promise<User> {
  if (owner.hasPassword)
    throw new DocsearchError(
      'owner_exists',
      'This instance already has an owner, and it can have only one. To add a member, leave out `role`.',
    )
  return (await users.update(owner.id, change)) ?? owner
}

function purposeFor({ hasPassword, role }: User): LinkPurpose {
  if (hasPassword) return 'reset'
  return role === 'owner' ? 'setup' : 'invitation'
}

/** A user as the owner of the instance sees them. */
export interface ManagedUser extends UserWithUsage {
  /** The number of projects that the user is a member of. */
  projectCount: number
  /** The projects among them that the actor is a member of as well, in order of their names, with the role of the user. */
  sharedProjects: Pick<VisibleProject, 'id' | 'name' | 'role'>[]
}

/** Adds usage, quotas and projects to each user. `ofInstance` are the quotas of users who have none of their own. */
async function toManagedUsers(
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

/** Finds a user by ID or email. Throws `user_not_found`. */
export async function findUser(users: Pick<Records['users'], 'get' | 'findByEmail'>, idOrEmail: string): Promise<User> {
  const user = await (idOrEmail.includes('@') ? users.findByEmail(idOrEmail) : users.get(idOrEmail))
  if (user === null) throw userNotFound(idOrEmail)
  return user
}

function userNotFound(idOrEmail: string): DocsearchError {
  return new DocsearchError('user_not_found', `No user has the ID or email ${JSON.stringify(idOrEmail.slice(0, 100))}.`)
}
