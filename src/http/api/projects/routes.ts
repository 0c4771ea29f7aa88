import {
  project,
  projectCreate,
  projectDeleted,
  projectList,
  projectListQuery,
  projectUpdate,
  type ProjectDeleted,
  type ProjectList,
} from '../../../contract/projects.ts'
import { pageRequest } from '../../page.ts'
import { route } from '../../route.ts'
import { findProject } from './find.ts'
import { presentProject } from './present.ts'

const tag = 'Projects'
const path = '/api/v1/projects/{id}'
const idDescription = 'Id or name of the project'

export const projectRoutes = [
  route({
    operationId: 'listProjects',
    method: 'GET',
    path: '/api/v1/projects',
    tag,
    summary: 'List your projects',
    access: 'read:documents',
    query: projectListQuery,
    answers: { 200: { description: 'A page of projects', schema: projectList } },
    problems: ['invalid_cursor'],
    async handle({ ctx, services, caller, query }) {
      const { items, nextCursor } = await services.records.projects.list(caller.userId, pageRequest(query))
      ctx.body = { projects: items.map(presentProject), next_cursor: nextCursor } satisfies ProjectList
    },
  }),
  route({
    operationId: 'createProject',
    method: 'POST',
    path: '/api/v1/projects',
    tag,
    summary: 'Make a project',
    access: 'write:documents',
    body: projectCreate,
    answers: { 201: { description: 'The new project', schema: project, headers: { Location: 'Its address' } } },
    problems: ['project_exists'],
    async handle({ ctx, services, caller, body }) {
      const made = await services.records.projects.create({ ownerId: caller.userId, ...body })
      ctx.status = 201
      ctx.set('Location', `${services.http.baseUrl()}/api/v1/projects/${made.id}`)
      ctx.body = presentProject(made)
    },
  }),
  route({
    operationId: 'getProject',
    method: 'GET',
    path,
    tag,
    summary: 'Show a project',
    access: 'read:documents',
    idDescription,
    answers: { 200: { description: 'The project', schema: project } },
    problems: ['project_not_found'],
    async handle({ ctx, services, caller, id }) {
      ctx.body = presentProject(await findProject(services, caller, id))
    },
  }),
  route({
    operationId: 'updateProject',
    method: 'PATCH',
    path,
    tag,
    summary: 'Rename or describe a project',
    access: 'write:documents',
    idDescription,
    body: projectUpdate,
    answers: { 200: { description: 'The project as it is now', schema: project } },
    problems: ['project_not_found', 'project_exists'],
    async handle({ ctx, services, caller, id, body }) {
      const found = await findProject(services, caller, id)
      const change = {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.description === undefined ? {} : { description: body.description }),
      }
      const updated = await services.records.projects.update(caller.userId, found.id, change)
      // Deleted in between: then it is not found now either.
      ctx.body = presentProject(updated ?? (await findProject(services, caller, id)))
    },
  }),
  route({
    operationId: 'deleteProject',
    method: 'DELETE',
    path,
    tag,
    summary: 'Delete a project with its documents',
    access: 'write:documents',
    idDescription,
    answers: { 200: { description: 'What was deleted; no search finds it any more', schema: projectDeleted } },
    problems: ['project_not_found'],
    async handle({ ctx, services, caller, id }) {
      const found = await findProject(services, caller, id)
      const deleted = await services.ingest.deleteProject(caller.userId, found.id)
      if (deleted === null) await findProject(services, caller, found.id)
      ctx.body = { id: found.id, name: found.name, documents_deleted: deleted ?? 0 } satisfies ProjectDeleted
    },
  }),
]
