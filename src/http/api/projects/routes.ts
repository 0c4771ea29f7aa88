import {
  project,
  projectCreate,
  projectDeleted,
  projectList,
  projectListQuery,
  projectUpdate,
  type ProjectDeleted,
  type ProjectList,
  type Project,
} from '../../../contract/projects.ts'
import type { Dependencies } from '../../dependencies.ts'
import { answerCreated, routesWith, type Route } from '../../routing/route.ts'
import type { OwnProject } from '../../../services/projects.ts'

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
