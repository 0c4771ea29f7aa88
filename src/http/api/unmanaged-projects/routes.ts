import {
  projectTakenOver,
  projectTakeOver,
  unmanagedProjectList,
  unmanagedProjectListQuery,
  type ProjectTakenOver,
  type UnmanagedProjectList,
} from '../../../contract/projects.ts'
import type { Dependencies } from '../../dependencies.ts'
import { routesWith, type Route } from '../../routing/route.ts'

const route = routesWith({ tag: 'Projects', access: 'manage:keys', role: 'owner' })

export const unmanagedProjectRoutes = ({ unmanagedProjects }: Pick<Dependencies, 'unmanagedProjects'>): Route[] => [
  route({
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
  route({
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
