import type { Accounts } from '../../../auth/accounts.ts'
import { checkNewPassword } from '../../../auth/password-rules.ts'
import type {
  UserCreated,
  userCreate,
  UserDeleted,
  UserList,
  UserReset,
  UserUpdate,
  User as WireUser,
} from '../../../contract/users.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import type { LinkPurpose, User } from '../../../core/model.ts'
import type { PageRequest, Records } from '../../../records/records.ts'
import { fail } from '../../problems.ts'
import type { Services } from '../../services.ts'
import { presentUser } from './present.ts'
import type { z } from 'zod'

type People = ReturnType<typeof createPeople>

/**
 * Administration of accounts, in the words of the wire: behind the endpoints, and behind the command line where it works on a data
 * folder. Who may ask is decided before. A user is named by id or by email.
 */
export function createPeople(options: {
  records: Pick<Records, 'users'>
  accounts: Pick<Accounts, 'setPassword' | 'issueLink'>
  /** Where one-time links lead. */
  baseUrl: () => string
  /** The user with everything of theirs; the number of documents, null when not there. */
  deleteUser: (id: string) => Promise<number | null>
}) {
  const { records, accounts, baseUrl, deleteUser } = options
  const { users } = records

  async function find(idOrEmail: string): Promise<User> {
    const user = await (idOrEmail.includes('@') ? users.findByEmail(idOrEmail) : users.get(idOrEmail))
    if (user === null) throw notFound(idOrEmail)
    return user
  }

  async function linkFor(user: User, purpose: LinkPurpose): Promise<UserReset> {
    const { token, expiresAt } = await accounts.issueLink(user.id, purpose)
    return {
      ...presentUser(user),
      invitation_url: `${baseUrl()}/setup?token=${token}`,
      invitation_expires_at: expiresAt.toISOString(),
    }
  }

  /** The owner whom the first start made has neither email nor password yet. */
  async function completeOwner(owner: User, person: { email: string; name?: string }): Promise<User> {
    if (owner.hasPassword)
      throw fail(
        'owner_exists',
        'The owner of this instance has an account already; there is one owner. Leave the role out to add a member.',
      )
    return (await users.update(owner.id, person)) ?? owner
  }

  /** Tried, because of two who look first both would find that there is no owner. */
  async function createUser(person: { email: string; name: string }): Promise<User> {
    if ((await users.owner()) !== null) return users.create({ ...person, role: 'member' })
    try {
      return await users.create({ ...person, role: 'owner' })
    } catch (error) {
      if (!isDocsearchError(error, 'owner_exists')) throw error
      return users.create({ ...person, role: 'member' })
    }
  }

  return {
    find,

    async list(page: PageRequest): Promise<UserList> {
      const { items, nextCursor } = await users.list(page)
      return { users: items.map(presentUser), next_cursor: nextCursor }
    },

    /**
     * With a password the account is ready, without one the answer has the link to make one. The first user of all is the owner.
     * Throws `user_exists`, `owner_exists`, `password_too_short`, `password_too_long`, `password_too_common`; nothing was made then.
     */
    async add({ email, name, password, role }: z.output<typeof userCreate>): Promise<UserCreated> {
      const called = name ?? email.split('@')[0] ?? email
      if (password !== undefined) checkNewPassword(password, { email, name: called })
      const owner = role === 'owner' ? await users.owner() : null
      const made =
        owner === null
          ? await createUser({ email, name: called })
          : await completeOwner(owner, name === undefined ? { email } : { email, name })
      if (password === undefined) return linkFor(made, made.role === 'owner' ? 'setup' : 'invitation')
      await accounts.setPassword(made.id, password)
      return presentUser({ ...made, hasPassword: true })
    },

    async get(idOrEmail: string): Promise<WireUser> {
      return presentUser(await find(idOrEmail))
    },

    /** Throws `owner_stays` where the owner would be disabled. */
    async update(idOrEmail: string, { name, disabled }: UserUpdate): Promise<WireUser> {
      let user: User | null = await find(idOrEmail)
      const { id } = user
      // First, because it can be refused.
      if (disabled !== undefined) user = await users.setDisabled(id, disabled)
      if (name !== undefined) user = await users.update(id, { name })
      if (user === null) throw notFound(idOrEmail)
      return presentUser(user)
    },

    /** A new link to make a password; the old password is good until it is used. */
    async reset(idOrEmail: string): Promise<UserReset> {
      const user = await find(idOrEmail)
      if (user.disabledAt !== null)
        throw fail('user_disabled', 'This user is disabled, and a link would open nothing. Enable the user first.')
      if (user.hasPassword) return linkFor(user, 'reset')
      return linkFor(user, user.role === 'owner' ? 'setup' : 'invitation')
    },

    /** Throws `owner_stays`. */
    async delete(idOrEmail: string): Promise<UserDeleted> {
      const { id, email } = await find(idOrEmail)
      return { id, email, documents_deleted: (await deleteUser(id)) ?? 0 }
    },
  }
}

/** For routes and pages. */
export function people({ records, accounts, ingest, http }: Services): People {
  return createPeople({ records, accounts, baseUrl: http.baseUrl, deleteUser: (id) => ingest.deleteUser(id) })
}

function notFound(idOrEmail: string): Error {
  return fail('user_not_found', `There is no user ${JSON.stringify(idOrEmail.slice(0, 100))}.`)
}
