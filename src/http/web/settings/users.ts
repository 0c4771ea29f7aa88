import { z } from 'zod'
import type { UserCreated } from '../../../contract/users.ts'
import type { LinkPurpose, User } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import {
  renderUserDelete,
  renderUserDisable,
  renderUserInvite,
  renderUserLink,
  renderUsers,
  type UserRow,
} from '../../../pages/settings/users.tsx'
import { fail } from '../../problems.ts'
import { people } from '../../api/users/people.ts'
import { every } from '../every.ts'
import { email, optionalName } from '../fields.ts'
import type { Page, PageCall } from '../page.ts'
import { withError } from '../submitted.ts'

const inviteForm = z.object({ email, name: optionalName })

export const userPages: Page[] = [
  {
    method: 'GET',
    path: paths.users,
    access: 'owner',
    async handle({ services, user, show, signedIn }) {
      const users = await every((page) => services.records.users.list(page))
      show(renderUsers({ ...signedIn(), users: users.map((one) => userRow(one, user.id)) }))
    },
  },
  {
    method: 'GET',
    path: paths.userInvite,
    access: 'owner',
    handle: ({ show, signedIn }) => show(renderUserInvite({ ...signedIn(), form: {} })),
  },
  {
    method: 'POST',
    path: paths.userInvite,
    access: 'owner',
    async handle(call) {
      const { services, submitted, show, signedIn } = call
      const { data, state } = submitted(inviteForm)
      if (data === undefined) return show(renderUserInvite({ ...signedIn(), form: state }), 422)
      try {
        const { email, name } = data
        const made = await people(services).add({ email, role: 'member', ...(name === '' ? {} : { name }) })
        showLink(call, made, 'invitation')
      } catch (error) {
        show(renderUserInvite({ ...signedIn(), form: withError(state, error, { user_exists: 'email' }) }), 422)
      }
    },
  },
  {
    method: 'POST',
    path: paths.userReset(':id'),
    access: 'owner',
    async handle(call) {
      const { id } = await findOther(call)
      const reset = await people(call.services).reset(id)
      showLink(call, reset, reset.has_password ? 'reset' : 'invitation')
    },
  },
  {
    method: 'GET',
    path: paths.userDisable(':id'),
    access: 'owner',
    async handle(call) {
      const other = await findOther(call)
      call.show(renderUserDisable({ ...call.signedIn(), user: { id: other.id, who: whoIs(other) } }))
    },
  },
  {
    method: 'POST',
    path: paths.userDisable(':id'),
    access: 'owner',
    async handle(call) {
      await call.services.records.users.setDisabled((await findOther(call)).id, true)
      call.goTo(paths.users, 'user_disabled')
    },
  },
  {
    method: 'POST',
    path: paths.userEnable(':id'),
    access: 'owner',
    async handle(call) {
      await call.services.records.users.setDisabled((await findOther(call)).id, false)
      call.goTo(paths.users, 'user_enabled')
    },
  },
  {
    method: 'GET',
    path: paths.userDelete(':id'),
    access: 'owner',
    async handle(call) {
      const other = await findOther(call)
      const projects = await every((page) => call.services.records.projects.list(other.id, page))
      const documents = projects.reduce((sum, { counts }) => sum + counts.documents, 0)
      call.show(renderUserDelete({ ...call.signedIn(), user: { id: other.id, who: whoIs(other) }, documents }))
    },
  },
  {
    method: 'POST',
    path: paths.userDelete(':id'),
    access: 'owner',
    async handle(call) {
      await call.services.ingest.deleteUser((await findOther(call)).id)
      call.goTo(paths.users, 'user_deleted')
    },
  },
]

/** Somebody else: nobody shuts themself out here. */
async function findOther({ services, user, id }: PageCall): Promise<User> {
  const other = id === user.id ? null : await services.records.users.get(id)
  if (other === null) throw fail('not_found', 'There is no such account, or it is your own.')
  return other
}

/** On this answer only; a link made before ends. */
function showLink({ show, signedIn }: PageCall, made: UserCreated, purpose: LinkPurpose): void {
  const { invitation_url: link, invitation_expires_at: expiresAt } = made
  if (link === undefined || expiresAt === undefined) throw new Error('an account without a password came without a link')
  show(renderUserLink({ ...signedIn(), who: whoIs(made), purpose, link, expiresAt }))
}

function userRow(user: User, thisId: string): UserRow {
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    role: user.role,
    state: user.disabledAt !== null ? 'disabled' : user.hasPassword ? 'active' : 'invited',
    createdAt: user.createdAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
    isThis: user.id === thisId,
  }
}

function whoIs({ name, email }: Pick<User, 'name' | 'email'>): string {
  return email ?? name
}
