import { z } from 'zod'
import { passwordLinkAddress } from '../../contract/addresses.ts'
import { email as emailRule } from '../../contract/users.ts'
import { DocsearchError, type ErrorCode } from '../../core/errors.ts'
import { EVERYONE, PRIVATE_PROJECT, PROJECT_ROLES } from '../../core/model.ts'
import { paths } from '../../pages/paths.ts'
import {
  MAX_SHOWN_FOLDERS,
  type ProjectProps,
  renderMemberInvited,
  renderMemberRemove,
  renderProject,
  renderProjectDelete,
} from '../../pages/projects/project.tsx'
import { renderProjectNew, renderProjects, type ShownProject, renderTakeOver } from '../../pages/projects/list.tsx'
import { type MemberForm, memberName, type ShownMember } from '../../pages/projects/members.tsx'
import { isOwner } from '../../services/access.ts'
import type { Member } from '../../services/members.ts'
import type { OwnProject } from '../../services/projects.ts'
import { insufficientRole } from '../../services/visible-projects.ts'
import type { Dependencies } from '../dependencies.ts'
import { fail } from '../problems/problems.ts'
import { name } from './forms.ts'
import { withError } from './submitted.ts'
import type { View, ViewCall } from './routing/page.ts'

/** Projects on one view of the list. */
const PROJECTS = 24

/** Projects without a manager on the view. */
const UNMANAGED = 100

const projectForm = z.object({
  name,
  description: z.string().max(2000, 'A description has at most 2,000 characters.').default(''),
})

export const projectPages = (parts: Parts): View[] => [
  ...listPages(parts),
  ...changePages(parts),
  ...memberPages(parts),
  ...takeOverPages(parts),
]

const listPages = (parts: Parts): View[] => [
  {
    method: 'GET',
    path: paths.projects,
    hasScript: true,
    async handle(call) {
      const cursor = [call.ctx.query['cursor'] ?? []].flat().at(-1)
      const found = await parts.projects.list(call.actor, { limit: PROJECTS, ...(cursor !== undefined && { cursor }) })
      const projects = await Promise.all(found.items.map((project) => shownCard(parts, call, project)))
      const { nextCursor } = found
      const isLater = cursor !== undefined
      const unmanaged =
        isLater || !isOwner(call.actor) ? null : await parts.unmanagedProjects.list(call.actor, { limit: UNMANAGED })
      call.show(renderProjects({ ...call.signedIn(), projects, unmanaged, isLater, nextCursor }))
    },
  },
  {
    method: 'GET',
    path: paths.projectNew,
    handle: ({ show, signedIn }) => show(renderProjectNew({ ...signedIn(), form: {} })),
  },
  {
    method: 'POST',
    path: paths.projects,
    async handle({ actor, submitted, show, signedIn, goTo }) {
      const { data, state } = submitted(projectForm)
      if (data === undefined) return show(renderProjectNew({ ...signedIn(), form: state }), 422)
      try {
        const { id } = await parts.projects.create(actor, data)
        goTo(paths.project(id), 'project_created')
      } catch (error) {
        const form = withError(state, error, { project_exists: 'name' })
        show(renderProjectNew({ ...signedIn(), form }), 422)
      }
    },
  },
  {
    method: 'GET',
    path: paths.project(':id'),
    hasScript: true,
    handle: (call) => showProject(parts, call),
  },
]

const changePages = (parts: Parts): View[] => [
  {
    method: 'POST',
    path: paths.projectSettings(':id'),
    async handle(call) {
      const { actor, id, submitted, goTo } = call
      const { data, state } = submitted(projectForm)
      if (data === undefined) return showProject(parts, call, { settingsForm: state }, 422)
      try {
        const project = await parts.projects.update(actor, id, data)
        goTo(paths.project(project.id), 'project_saved')
      } catch (error) {
        const form = withError(state, error, { project_exists: 'name', project_is_private: 'name' })
        await showProject(parts, call, { settingsForm: form }, 422)
      }
    },
  },
  {
    method: 'GET',
    path: paths.projectDelete(':id'),
    async handle(call) {
      const project = await parts.projects.get(call.actor, call.id)
      // Only the services change something, and they check the role again.
      if (project.role !== 'manager') throw insufficientRole('manager')
      const members = await parts.members.list(call.actor, project.id)
      const shown = { id: project.id, name: project.name, documents: project.counts.documents, trashed: project.trashed ?? 0 }
      call.show(renderProjectDelete({ ...call.signedIn(), project: shown, otherMembers: members.length - 1 }))
    },
  },
  {
    method: 'POST',
    path: paths.projectDelete(':id'),
    async handle({ actor, id, goTo }) {
      await parts.projects.delete(actor, id)
      goTo(paths.projects, 'project_deleted')
    },
  },
]

const takeOverForm = z.object({ user: z.string().trim().max(254, 'An email address has at most 254 characters.').default('') })

const takeOverPages = ({ unmanagedProjects }: Pick<Dependencies, 'unmanagedProjects'>): View[] => [
  {
    method: 'GET',
    path: paths.projectTakeOver(':id'),
    access: 'owner',
    async handle({ actor, id, show, signedIn }) {
      const project = await unmanagedProjects.get(actor, id)
      show(renderTakeOver({ ...signedIn(), project, form: {} }))
    },
  },
  {
    method: 'POST',
    path: paths.projectTakeOver(':id'),
    access: 'owner',
    async handle({ actor, id, submitted, show, signedIn, goTo }) {
      const project = await unmanagedProjects.get(actor, id)
      const { data, state } = submitted(takeOverForm)
      if (data === undefined) return show(renderTakeOver({ ...signedIn(), project, form: state }), 422)
      try {
        const manager = await unmanagedProjects.takeOver(actor, id, data.user === '' ? undefined : data.user)
        if (manager.id === actor.userId) goTo(paths.project(id), 'project_taken_over')
        else goTo(paths.projects, 'project_handed_over')
      } catch (error) {
        const form = withError(state, error, { user_not_found: 'user', member_not_found: 'user' })
        show(renderTakeOver({ ...signedIn(), project, form }), 422)
      }
    },
  },
]

type Parts = Pick<Dependencies, 'projects' | 'members' | 'unmanagedProjects' | 'settings'>

function shownMember({ user, role }: Member): ShownMember {
  return { user: user === null ? EVERYONE : { id: user.id, name: user.name, email: user.email }, role }
}

/** One more folder than the view shows, so that the view knows whether there are more. */
const MAX_FOLDERS = MAX_SHOWN_FOLDERS + 1

/** Returns the project as its card shows it. */
async function shownCard(parts: Parts, call: ViewCall, project: OwnProject): Promise<ShownProject> {
  const { lastChangedAt } = await parts.projects.contents(call.actor, project.id, 0)
  return shownProject(project, lastChangedAt)
}

function shownProject(project: OwnProject, lastChangedAt: Date | null): ShownProject {
  const { queued, processing, failed } = project.counts.statuses
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    role: project.role,
    owner: project.ownerName,
    documents: project.counts.documents,
    pending: queued + processing,
    failed,
    bytes: project.counts.bytes,
    lastChangedAt: lastChangedAt?.toISOString() ?? null,
    createdAt: project.createdAt.toISOString(),
  }
}

/** Shows the view of a project, with what was wrong with a form. */
async function showProject(
  parts: Parts,
  call: ViewCall,
  forms: Partial<Pick<ProjectProps, 'memberForm' | 'settingsForm'>> = {},
  status = 200,
): Promise<void> {
  const { actor, id, user } = call
  const project = await parts.projects.get(actor, id)
  const members = (await parts.members.list(actor, project.id)).map(shownMember)
  const { folders, lastChangedAt } = await parts.projects.contents(actor, project.id, MAX_FOLDERS)
  const isPrivate = project.name === PRIVATE_PROJECT
  const shown = shownProject(project, lastChangedAt)
  const props = { project: shown, folders, members, isPrivate, viewerId: user.id, memberForm: {}, settingsForm: {}, ...forms }
  call.show(renderProject({ ...call.signedIn(), ...props }), status)
}

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

const memberPages = (parts: Parts): View[] => [
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
