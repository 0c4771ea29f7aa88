import { z } from 'zod'
import { passwordLinkAddress } from '../../../contract/addresses.ts'
import type { User } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import {
  renderUserDelete,
  renderUserDisable,
  renderUserInvite,
  renderUserLink,
  renderUsers,
  type UserRow,
} from '../../../pages/settings/users.tsx'
import { fail } from '../../problems/problems.ts'
import type { ManagedUser, PasswordLink } from '../../../services/users.ts'
import type { Dependencies } from '../../dependencies.ts'
import { email, optionalName, listAll } from '../forms.ts'
import { withError } from '../submitted.ts'
import type { View, ViewCall } from '../routing/page.ts'

const inviteForm = z.object({ email, name: optionalName })

type Parts = Pick<Dependencies, 'users' | 'settings'>

export const userPages = (parts: Parts): View[] => [...listPages(parts), ...userChangePages(parts)]

const listPages = ({ users, settings }: Parts): View[] => [
  {
    method: 'GET',
    path: paths.users,
    access: 'owner',
    async handle({ actor, user, show, signedIn }) {
      const all = await listAll((page) => users.list(actor, page))
      show(renderUsers({ ...signedIn(), users: all.map((one) => userRow(one, user.id)) }))
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
    hasScript: true,
    async handle(call) {
      const { actor, submitted, show, signedIn } = call
      const { data, state } = submitted(inviteForm)
      if (data === undefined) return show(renderUserInvite({ ...signedIn(), form: state }), 422)
      try {
        const { email, name } = data
        const { user, link } = await users.add(actor, { email, role: 'member', ...(name === '' ? {} : { name }) })
        if (link === null) throw new Error('a user without a password was added without a link')
        await showLink(call, { user, link }, settings.baseUrl())
      } catch (error) {
        show(renderUserInvite({ ...signedIn(), form: withError(state, error, { user_exists: 'email' }) }), 422)
      }
    },
  },
]

const userChangePages = ({ users, settings }: Parts): View[] => [
  {
    method: 'POST',
    path: paths.userReset(':id'),
    access: 'owner',
    hasScript: true,
    async handle(call) {
      const { id } = await findOther(users, call)
      await showLink(call, await users.resetPassword(call.actor, id), settings.baseUrl())
    },
  },
  {
    method: 'GET',
    path: paths.userDisable(':id'),
    access: 'owner',
    async handle(call) {
      const other = await findOther(users, call)
      call.show(renderUserDisable({ ...call.signedIn(), user: { id: other.id, who: whoIs(other) } }))
    },
  },
  {
    method: 'POST',
    path: paths.userDisable(':id'),
    access: 'owner',
    async handle(call) {
      await users.update(call.actor, (await findOther(users, call)).id, { disabled: true })
      call.goTo(paths.users, 'user_disabled')
    },
  },
  {
    method: 'POST',
    path: paths.userEnable(':id'),
    access: 'owner',
    async handle(call) {
      await users.update(call.actor, (await findOther(users, call)).id, { disabled: false })
      call.goTo(paths.users, 'user_enabled')
    },
  },
  {
    method: 'GET',
    path: paths.userDelete(':id'),
    access: 'owner',
    async handle(call) {
      const other = await findOther(users, call)
      const { projects } = await users.previewDeletion(call.actor, other.id)
      const shown = projects.map(({ name, counts, trashed }) => ({ name, documents: counts.documents, trashed }))
      call.show(renderUserDelete({ ...call.signedIn(), user: { id: other.id, who: whoIs(other) }, projects: shown }))
    },
  },
  {
    method: 'POST',
    path: paths.userDelete(':id'),
    access: 'owner',
    async handle(call) {
      await users.delete(call.actor, (await findOther(users, call)).id)
      call.goTo(paths.users, 'user_deleted')
    },
  },
]

/** Returns the user whose ID is in the address. Refuses the owner's own account, so that owners can't lock themselves out. */
async function findOther(users: Dependencies['users'], { actor, id }: ViewCall): Promise<User> {
  if (id === actor.userId) throw fail('not_found', 'This is your own account. Change it under Profile.')
  return users.get(actor, id)
}

/** Shows the one-time link. No later view shows it again. */
async function showLink(
  { showOnce }: ViewCall,
  { user, link }: { user: User; link: PasswordLink },
  baseUrl: string,
): Promise<void> {
  const { token, purpose, expiresAt } = link
  const address = passwordLinkAddress(baseUrl, token)
  const props = { who: whoIs(user), purpose, link: address, expiresAt: expiresAt.toISOString() }
  await showOnce(paths.users, (page) => renderUserLink({ ...page, ...props }))
}

function userRow(user: ManagedUser, thisId: string): UserRow {
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    role: user.role,
    state: user.disabledAt !== null ? 'disabled' : user.hasPassword ? 'active' : 'invited',
    createdAt: user.createdAt.toISOString(),
    lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
    projectCount: user.projectCount,
    sharedProjects: user.sharedProjects,
    isThis: user.id === thisId,
  }
}

function whoIs({ name, email }: Pick<User, 'name' | 'email'>): string {
  return email ?? name
}
