import { z } from 'zod'
import { paths } from '../../../pages/paths.ts'
import { renderTakeOver } from '../../../pages/projects/take-over.tsx'
import type { Dependencies } from '../../dependencies.ts'
import { withError } from '../forms/submitted.ts'
import type { Page } from '../routing/page.ts'

const takeOverForm = z.object({ user: z.string().trim().max(254, 'An email address has at most 254 characters.').default('') })

export const takeOverPages = ({ unmanagedProjects }: Pick<Dependencies, 'unmanagedProjects'>): Page[] => [
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
