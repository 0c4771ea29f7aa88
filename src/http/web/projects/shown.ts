import { EVERYONE, PRIVATE_PROJECT } from '../../../core/model.ts'
import type { ShownProject } from '../../../pages/projects/list.tsx'
import { MAX_SHOWN_FOLDERS } from '../../../pages/projects/folders.tsx'
import type { ShownMember } from '../../../pages/projects/members.tsx'
import { renderProject, type ProjectProps } from '../../../pages/projects/project.tsx'
import type { Member } from '../../../services/members.ts'
import type { OwnProject } from '../../../services/projects.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { ViewCall } from '../routing/page.ts'

export type Parts = Pick<Dependencies, 'projects' | 'members' | 'unmanagedProjects' | 'settings'>

export function shownMember({ user, role }: Member): ShownMember {
  return { user: user === null ? EVERYONE : { id: user.id, name: user.name, email: user.email }, role }
}

/** One more folder than the view shows, so that the view knows whether there are more. */
const MAX_FOLDERS = MAX_SHOWN_FOLDERS + 1

/** Returns the project as its card shows it. */
export async function shownCard(parts: Parts, call: ViewCall, project: OwnProject): Promise<ShownProject> {
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
export async function showProject(
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
