import { z } from 'zod'
import { paths } from '../../../pages/paths.ts'
import { renderProjectNew, renderProjects } from '../../../pages/projects/list.tsx'
import { renderProjectDelete } from '../../../pages/projects/project.tsx'
import { renderTakeOver } from '../../../pages/projects/take-over.tsx'
import { isOwner } from '../../../services/access.ts'
import { insufficientRole } from '../../../services/visible-projects.ts'
import type { Dependencies } from '../../dependencies.ts'
import { name } from '../forms/fields.ts'
import { withError } from '../forms/submitted.ts'
import type { View } from '../routing/page.ts'
import { memberPages } from './members.ts'
import { type Parts, shownCard, showProject } from './shown.ts'

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
