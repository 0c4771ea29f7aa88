import { z } from 'zod'
import { MAX_LIMIT_PROJECTS } from '../../../contract/common.ts'
import type { FormState } from '../../../pages/form.tsx'
import type { ProjectLimitProps } from '../../../pages/project-limit.tsx'
import type { Dependencies } from '../../dependencies.ts'
import { listAll } from '../list-all.ts'
import type { ViewCall } from '../routing/page.ts'

/** The fields of pages/project-limit.tsx. */
export const projectLimitFields = {
  reach: z.enum(['all', 'some'], 'Choose one of the two.').default('all'),
  projects: z.array(z.string()),
}

interface Limit {
  reach: 'all' | 'some'
  projects: string[]
}

/** Returns what is wrong with the fields together, by field. Ticked projects without "only these" could mean either. */
export function limitErrors({ reach, projects }: Limit): NonNullable<FormState<'reach' | 'projects'>['errors']> {
  if (reach === 'all' && projects.length > 0) return { reach: 'You ticked projects. Choose to allow only these, or untick them.' }
  if (reach === 'some' && projects.length === 0) return { projects: 'Choose at least one project.' }
  if (projects.length > MAX_LIMIT_PROJECTS) return { projects: `Choose ${MAX_LIMIT_PROJECTS} projects at most.` }
  return {}
}

/** Returns the projects for the service; undefined for no limit. */
export function limitOf({ reach, projects }: Limit): string[] | undefined {
  return reach === 'all' ? undefined : projects
}

/** Returns what the view needs for the fields, with what was ticked. */
export async function limitProps(
  { actor, ctx }: ViewCall,
  projects: Dependencies['projects'],
): Promise<Omit<ProjectLimitProps, 'form'>> {
  const found = await listAll((page) => projects.list(actor, page))
  const choices = found.map(({ id, name, ownerName }) => ({ id, name, owner: ownerName }))
  return { projects: choices, chosen: ctx.state.form?.fields['projects'] ?? [] }
}
