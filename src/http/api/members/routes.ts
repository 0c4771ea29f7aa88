import { passwordLinkAddress } from '../../../contract/addresses.ts'
import {
  memberList,
  memberSaved,
  memberSet,
  type Member as WireMember,
  type MemberList,
  type MemberSaved,
} from '../../../contract/members.ts'
import { email } from '../../../contract/users.ts'
import { invalid } from '../../../contract/validate.ts'
import { EVERYONE } from '../../../core/model.ts'
import type { Member } from '../../../services/members.ts'
import type { Dependencies } from '../../dependencies.ts'
import { routesWith, type Route } from '../../routing/route.ts'

const route = routesWith({ tag: 'Projects', idDescription: 'ID or name of the project' })
const path = '/api/v1/projects/{id}/members'
const pathDescriptions = { user: 'ID or email address of a user, or `everyone` for all users of the instance' }

export const memberRoutes = ({ members, settings }: Pick<Dependencies, 'members' | 'settings'>): Route[] => [
  route({
    operationId: 'listMembers',
    method: 'GET',
    path,
    summary: 'List the members of a project',
    access: 'read:documents',
    answers: { 200: { description: 'All members, in the order in which they were added', schema: memberList } },
    problems: ['project_not_found'],
    async handle({ ctx, actor, id }) {
      ctx.body = { members: (await members.list(actor, id)).map(present) } satisfies MemberList
    },
  }),
  route({
    operationId: 'setMember',
    method: 'PUT',
    path: `${path}/{user}`,
    summary: 'Add a member to a project, or change their role',
    description: [
      'Needs the role `manager`. A `reader` searches, reads and downloads; a `writer` also adds, changes and deletes documents; a `manager` also changes members and settings, and deletes the project.',
      'If nobody has the email address and you are the owner of the instance, docsearch also creates an account. The answer then has a link for setting the password, which is shown only once.',
      'You cannot take this role from the last manager. The project `default` of each user is private and cannot have other members. When the owner of a project is no longer a manager, the manager who was added first becomes the owner.',
    ].join(' '),
    access: 'write:documents',
    pathDescriptions,
    body: memberSet,
    answers: { 200: { description: 'The member', schema: memberSaved } },
    problems: [
      'project_not_found',
      'user_not_found',
      'owner_only',
      'limited_to_projects',
      'last_manager',
      'project_is_private',
      'everyone_cannot_manage',
      'too_many_members',
      'invalid_request',
    ],
    async handle({ ctx, actor, id, params, body }) {
      const { member, link } = await members.set(actor, id, userOf(params), body)
      ctx.body = {
        ...present(member),
        ...(link && {
          invitation_url: passwordLinkAddress(settings.baseUrl(), link.token),
          invitation_expires_at: link.expiresAt.toISOString(),
        }),
      } satisfies MemberSaved
    },
  }),
  route({
    operationId: 'removeMember',
    method: 'DELETE',
    path: `${path}/{user}`,
    summary: 'Remove a member from a project',
    description:
      'Needs the role `manager`, unless you leave the project yourself. The member loses access at once: their event streams get no more events of the project, and their downloads end.',
    access: 'write:documents',
    pathDescriptions,
    answers: { 204: { description: 'The user is no longer a member' } },
    problems: ['project_not_found', 'member_not_found', 'last_manager'],
    async handle({ ctx, actor, id, params }) {
      await members.remove(actor, id, userOf(params))
      ctx.status = 204
    },
  }),
]

/** Returns the user that the path names. An email may become the address of a new user, so it must look like one. */
function userOf({ user = '' }: Readonly<Record<string, string>>): string {
  if (!user.includes('@')) return user
  const { success, data } = email.safeParse(user)
  if (success) return data
  throw invalid([{ path: 'user', message: 'must be the ID or the email address of a user, or `everyone`' }])
}

function present({ user, role }: Member): WireMember {
  return { user: user === null ? EVERYONE : { id: user.id, email: user.email, name: user.name }, role }
}
