import { z } from 'zod'
import { passwordLinkAddress } from '../../../contract/addresses.ts'
import { email as emailRule } from '../../../contract/users.ts'
import { EVERYONE, PROJECT_ROLES } from '../../../core/model.ts'
import { DocsearchError, type ErrorCode } from '../../../core/errors.ts'
import { paths } from '../../../pages/paths.ts'
import { memberName, type MemberForm, type ShownMember } from '../../../pages/projects/members.tsx'
import { renderMemberInvited, renderMemberRemove } from '../../../pages/projects/project.tsx'
import type { OwnProject } from '../../../services/projects.ts'
import { insufficientRole } from '../../../services/visible-projects.ts'
import { fail } from '../../problems/problems.ts'
import { withError } from '../forms/submitted.ts'
import type { View, ViewCall } from '../routing/page.ts'
import { shownMember, showProject, type Parts } from './shown.ts'

const memberForm = z.object({
  user: z
    .string('Enter an email address.')
    .trim()
    .min(1, 'Enter an email address.')
    .max(254, 'An email address has at most 254 characters.')
    .transform((text) => (text.toLowerCase() === EVERYONE ? EVERYONE : text))
    .refine(
      (text) => !text.includes('@') || emailRule.safeParse(text).success,
      'This is not an email address, such as name@example.org.',
    ),
  role: z.enum(PROJECT_ROLES, 'Choose a role.'),
})

const ERROR_FIELDS: Partial<Record<ErrorCode, 'user' | 'role'>> = {
  user_not_found: 'user',
  owner_only: 'user',
  too_many_members: 'user',
  project_is_private: 'user',
  everyone_cannot_manage: 'role',
  last_manager: 'role',
}

export const memberPages = (parts: Parts): View[] => [
  {
    method: 'POST',
    path: paths.projectMembers(':id'),
    hasScript: true,
    async handle(call) {
      const { actor, id, submitted, showOnce, goTo } = call
      const { data, state } = submitted(memberForm)
      if (data === undefined) return showProject(parts, call, { memberForm: state }, 422)
      try {
        const { member, link } = await parts.members.set(actor, id, data.user, { role: data.role, invite: true })
        if (link === null) return goTo(paths.project(id), 'member_saved')
        const project = await parts.projects.get(actor, id)
        const address = passwordLinkAddress(parts.settings.baseUrl(), link.token)
        const who = memberName(shownMember(member).user)
        const props = { project, who, link: address, expiresAt: link.expiresAt.toISOString() }
        await showOnce(paths.project(id), (page) => renderMemberInvited({ ...page, ...props }))
      } catch (error) {
        await showProject(parts, call, { memberForm: await formAfter(parts, call, state, error) }, 422)
      }
    },
  },
  {
    method: 'GET',
    path: paths.projectMemberRemove(':id'),
    async handle(call) {
      const named = [call.ctx.query['user'] ?? []].flat().at(-1)
      if (named === undefined) return call.goTo(paths.project(call.id))
      await showRemoval(parts, call, named)
    },
  },
  {
    method: 'POST',
    path: paths.projectMemberRemove(':id'),
    async handle(call) {
      const { actor, id, user, submitted, goTo } = call
      const { data } = submitted(z.object({ user: z.string() }))
      if (data === undefined) return goTo(paths.project(id))
      try {
        await parts.members.remove(actor, id, data.user)
      } catch (error) {
        if (!(error instanceof DocsearchError) || error.code !== 'last_manager') throw error
        return showRemoval(parts, call, data.user, error.message)
      }
      if (data.user !== user.id && data.user !== user.email) return goTo(paths.project(id), 'member_removed')
      goTo(paths.projects, 'project_left')
    },
  },
]

/** Returns the state of the form for a new member. An error in the form of a present member belongs to no field of it. */
async function formAfter(parts: Parts, { actor, id }: ViewCall, state: MemberForm, error: unknown): Promise<MemberForm> {
  const form = withError(state, error, ERROR_FIELDS)
  const members = await parts.members.list(actor, id)
  if (!members.some((member) => idOf(shownMember(member)) === state.values?.user)) return form
  return { message: (error as DocsearchError).message }
}

/** Asks before a member is removed. `problem` says why the last attempt was refused. */
async function showRemoval(parts: Parts, call: ViewCall, named: string, problem: string | null = null): Promise<void> {
  const { actor, id, user, show, signedIn } = call
  const project: OwnProject = await parts.projects.get(actor, id)
  const members = (await parts.members.list(actor, project.id)).map(shownMember)
  const found = members.find((one) => idOf(one) === named || (one.user !== EVERYONE && one.user.email === named))
  const isViewer = found !== undefined && idOf(found) === user.id
  if (!isViewer && project.role !== 'manager') throw insufficientRole('manager')
  if (found === undefined) throw fail('member_not_found', 'The project has no such member.')
  show(renderMemberRemove({ ...signedIn(), project, user: found.user, isViewer, problem }), problem === null ? 200 : 422)
}

function idOf({ user }: ShownMember): string {
  return user === EVERYONE ? EVERYONE : user.id
}
