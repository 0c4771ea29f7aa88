import type { ComponentChildren } from 'preact'
import type { ProjectRole } from '../../core/model.ts'
import { AppPage, FlashMessage, type SignedInProps } from '../layout.tsx'
import { shortName } from '../parts.tsx'
import { paths } from '../paths.ts'

/** The project that a view belongs to. */
export interface ProjectRef {
  id: string
  name: string
}

interface FrameProps {
  page: SignedInProps
  title: string
  /** Where the link above the heading leads: the list, or the project of this view. Null on the list itself. */
  back: 'list' | ProjectRef | null
  lead?: ComponentChildren
  /** Shown next to the heading. */
  action?: ComponentChildren
  failed?: boolean
  /** The view that takes files dropped here. */
  drop?: string | undefined
  children: ComponentChildren
}

/** A view about projects: the way back, heading, message, content. */
export function ProjectsPage({ page, title, back, lead, action, failed, drop, children }: FrameProps) {
  return (
    <AppPage title={shortName(title)} failed={failed} place="projects" {...page}>
      <main id="main" class="projects" data-drop={drop}>
        {back === null ? null : (
          <p class="back">
            {back === 'list' ? (
              <a href={paths.projects}>Projects</a>
            ) : (
              <a href={paths.project(back.id)}>
                <bdi>{shortName(back.name)}</bdi>
              </a>
            )}
          </p>
        )}
        <div class="heading">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {action}
        </div>
        {lead === undefined ? null : <p class="lead">{lead}</p>}
        <FlashMessage flash={page.flash} />
        {children}
      </main>
    </AppPage>
  )
}

export const ROLE_WORDS: Readonly<Record<ProjectRole, { name: string; can: string; you: string }>> = {
  reader: {
    name: 'Reader',
    can: 'Searches, reads and downloads documents.',
    you: 'You can search, read and download documents.',
  },
  writer: {
    name: 'Writer',
    can: 'Also uploads, edits and deletes documents.',
    you: 'You can also upload, edit and delete documents.',
  },
  manager: {
    name: 'Manager',
    can: 'Also changes members and settings, and deletes the project.',
    you: 'You can also change members and settings, and delete the project.',
  },
}

export function RoleBadge({ role }: { role: ProjectRole }) {
  return <span class={role === 'manager' ? 'badge good' : 'badge'}>{ROLE_WORDS[role].name}</span>
}
