import { passwordLinkAddress } from '../../../contract/addresses.ts'
import {
  type Member as WireMember,
  memberList,
  type MemberList,
  memberSaved,
  type MemberSaved,
  memberSet,
  project,
  type Project,
  projectCreate,
  projectDeleted,
  type ProjectDeleted,
  projectList,
  type ProjectList,
  projectListQuery,
  projectTakenOver,
  type ProjectTakenOver,
  projectTakeOver,
  projectUpdate,
  unmanagedProjectList,
  type UnmanagedProjectList,
  unmanagedProjectListQuery,
} from '../../../contract/projects.ts'
import { email } from '../../../contract/users.ts'
import { invalid } from '../../../contract/validate.ts'
import { EVERYONE } from '../../../core/model.ts'
import type { Member } from '../../../services/members.ts'
import type { OwnProject } from '../../../services/projects.ts'
import type { Dependencies } from '../../dependencies.ts'
import { answerCreated, type Route, routesWith } from '../../routing/route.ts'

const route = routesWith({ tag: 'Projects', idDescription: 'ID or name of the project' })
const path = '/api/v1/projects/{id}'

export const projectRoutes = ({ projects, settings }: Pick<Dependencies, 'projects' | 'settings'>): Route[] => [
  route({
    operationId: 'listProjects',
    method: 'GET',
    path: '/api/v1/projects',
    summary: 'List the projects that you are a member of',
    access: 'read:documents',
    query: projectListQuery,
    answers: { 200: { description: 'Some of your projects, and the cursor to the next ones', schema: projectList } },
    problems: ['invalid_cursor'],
    async handle({ ctx, actor, query }) {
      const { items, nextCursor } = await projects.list(actor, query)
      ctx.body = { projects: items.map(presentProject), next_cursor: nextCursor } satisfies ProjectList
    },
  }),
  route({
    operationId: 'createProject',
    method: 'POST',
    path: '/api/v1/projects',
    summary: 'Create a project',
    access: 'write:documents',
    body: projectCreate,
    answers: { 201: { description: 'The new project', schema: project, headers: { Location: 'Its address' } } },
    problems: ['project_exists', 'limited_to_projects'],
    async handle({ ctx, actor, body }) {
      const made = await projects.create(actor, body)
      answerCreated(ctx, `${settings.baseUrl()}/api/v1/projects/${made.id}`, presentProject(made))
    },
  }),
  route({
    operationId: 'getProject',
    method: 'GET',
    path,
    summary: 'Show a project',
    access: 'read:documents',
    answers: { 200: { description: 'The project', schema: project } },
    problems: ['project_not_found'],
    async handle({ ctx, actor, id }) {
      ctx.body = presentProject(await projects.get(actor, id))
    },
  }),
  route({
    operationId: 'updateProject',
    method: 'PATCH',
    path,
    summary: 'Rename or describe a project',
    access: 'write:documents',
    body: projectUpdate,
    answers: { 200: { description: 'The changed project', schema: project } },
    problems: ['project_not_found', 'project_exists', 'project_is_private'],
    async handle({ ctx, actor, id, body }) {
      ctx.body = presentProject(await projects.update(actor, id, body))
    },
  }),
  route({
    operationId: 'deleteProject',
    method: 'DELETE',
    path,
    summary: 'Delete a project and its documents',
    access: 'write:documents',
    answers: { 200: { description: 'What was deleted; no search finds it any more', schema: projectDeleted } },
    problems: ['project_not_found'],
    async handle({ ctx, actor, id }) {
      const deleted = await projects.delete(actor, id)
      ctx.body = { id: deleted.id, name: deleted.name, documents_deleted: deleted.documentsDeleted } satisfies ProjectDeleted
    },
  }),
]

function presentProject(project: OwnProject): Project {
  const { counts } = project
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    role: project.role,
    owner: { id: project.ownerId, name: project.ownerName },
    document_count: counts.documents,
    chunk_count: counts.chunks,
    size_bytes: counts.bytes,
    statuses: {
      queued: counts.statuses.queued,
      processing: counts.statuses.processing,
      ready: counts.statuses.ready,
      failed: counts.statuses.failed,
    },
    ...(project.trashed !== undefined && { trashed_count: project.trashed }),
    created_at: project.createdAt.toISOString(),
    updated_at: project.updatedAt.toISOString(),
  }
}

const MEMBERS = '/api/v1/projects/{id}/members'
const pathDescriptions = { user: 'ID or email address of a user, or `everyone` for all users of the instance' }

export const memberRoutes = ({ members, settings }: Pick<Dependencies, 'members' | 'settings'>): Route[] => [
  route({
    operationId: 'listMembers',
    method: 'GET',
    path: MEMBERS,
    summary: 'List the members of a project',
    access: 'read:documents',
    answers: { 200: { description: 'All members, in the order in which they were added', schema: memberList } },
    problems: ['project_not_found'],
    async handle({ ctx, actor, id }) {
      ctx.body = { members: (await members.list(actor, id)).map(presentMember) } satisfies MemberList
    },
  }),
  route({
    operationId: 'setMember',
    method: 'PUT',
    path: `${MEMBERS}/{user}`,
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
        ...presentMember(member),
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
    path: `${MEMBERS}/{user}`,
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

function presentMember({ user, role }: Member): WireMember {
  return { user: user === null ? EVERYONE : { id: user.id, email: user.email, name: user.name }, role }
}

const ownerRoute = routesWith({ tag: 'Projects', access: 'manage:keys', role: 'owner' })

export const unmanagedProjectRoutes = ({ unmanagedProjects }: Pick<Dependencies, 'unmanagedProjects'>): Route[] => [
  ownerRoute({
    operationId: 'listUnmanagedProjects',
    method: 'GET',
    path: '/api/v1/unmanaged-projects',
    summary: 'List the projects without a manager',
    description: 'A project has no manager when its only manager was deleted and it has other members. You see only its name.',
    query: unmanagedProjectListQuery,
    answers: { 200: { description: 'Some of these projects, and the cursor to the next ones', schema: unmanagedProjectList } },
    problems: ['invalid_cursor'],
    async handle({ ctx, actor, query }) {
      const { items, nextCursor } = await unmanagedProjects.list(actor, query)
      ctx.body = { projects: items, next_cursor: nextCursor } satisfies UnmanagedProjectList
    },
  }),
  ownerRoute({
    operationId: 'takeOverProject',
    method: 'POST',
    path: '/api/v1/unmanaged-projects/{id}/take-over',
    summary: 'Give a project without a manager to a member, or take it over',
    description:
      'The user becomes the manager and the owner of the project, and its documents count towards the quotas of that user. If you take it over yourself, you see its documents from then on.',
    idDescription: 'ID of the project',
    body: projectTakeOver,
    bodyOptional: true,
    answers: { 200: { description: 'The project has a manager', schema: projectTakenOver } },
    problems: ['project_not_found', 'user_not_found', 'member_not_found'],
    async handle({ ctx, actor, id, body }) {
      const { id: userId, email, name } = await unmanagedProjects.takeOver(actor, id, body.user)
      ctx.body = { id, manager: { id: userId, email, name } } satisfies ProjectTakenOver
    },
  }),
]
