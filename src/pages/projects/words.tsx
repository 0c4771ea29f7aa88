import type { ProjectRole } from '../../core/model.ts'

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
