import { PROJECT_ROLES, type VisibleProject } from '../../../src/core/model.ts'
import type { Members } from '../../../src/records/members.ts'
import type { MemoryStore } from './store.ts'

export function memoryMembers(store: MemoryStore): Members {
  return {
    async visibleTo(userId) {
      const projects = new Map<string, VisibleProject>()
      const deletedIds = new Set<string>()
      for (const { projectId, userId: member, role } of store.members) {
        if (member !== userId && member !== null) continue
        const project = store.projects.get(projectId)
        if (project === undefined) deletedIds.add(projectId)
        else {
          const before = projects.get(projectId)?.role
          const isHigher = before === undefined || PROJECT_ROLES.indexOf(role) > PROJECT_ROLES.indexOf(before)
          const { id, name, ownerId } = project
          projects.set(id, { id, name, ownerId, ownerName: store.users.get(ownerId)!.name, role: isHigher ? role : before })
        }
      }
      const byName = (a: VisibleProject, b: VisibleProject) => (a.name < b.name || (a.name === b.name && a.id < b.id) ? -1 : 1)
      return { projects: [...projects.values()].sort(byName), deletedIds: [...deletedIds] }
    },
    // Callers always have to assume a change.
    version: () => store.nextVersion(),
  }
}
