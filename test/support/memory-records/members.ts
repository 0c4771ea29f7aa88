import type { AuditDetails, AuditFact } from '../../../src/core/audit.ts'
import { type Project, PROJECT_ROLES, type VisibleProject } from '../../../src/core/model.ts'
import { lastManager, projectNotFound, tooManyMembers } from '../../../src/records/errors.ts'
import { MAX_MEMBERS, type Members } from '../../../src/records/members.ts'
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
    async list(projectId) {
      return store.members
        .filter((member) => member.projectId === projectId)
        .map(({ userId, role }) => {
          const user = userId === null ? null : store.users.get(userId)!
          return { user: user && { id: user.id, email: user.email, name: user.name }, role }
        })
    },
    async set(projectId, userId, role) {
      if (!store.projects.has(projectId)) throw projectNotFound()
      const own = store.members.filter((member) => member.projectId === projectId)
      const existing = own.find((member) => member.userId === userId)
      if (existing === undefined && own.length >= MAX_MEMBERS) throw tooManyMembers(MAX_MEMBERS)
      const others = store.members.filter((member) => member !== existing)
      const changed = { projectId, userId, role }
      const members = store.members.map((member) => (member === existing ? changed : member))
      replaceMembers(store, projectId, existing === undefined ? [...others, changed] : members)
      if (existing === undefined) store.record({ action: 'member.add', projectId, ...memberOf(userId, { role }) })
      else if (existing.role !== role)
        store.record({ action: 'member.change', projectId, ...memberOf(userId, { role, former_role: existing.role }) })
      return { isNew: existing === undefined }
    },
    async takeOver(projectId, userId) {
      const project = store.projects.get(projectId)
      const own = store.members.filter((member) => member.projectId === projectId)
      if (project === undefined || own.some(({ role }) => role === 'manager')) return 'none'
      const isMember = own.some((member) => member.userId === null || member.userId === userId)
      if (!isMember && userId !== project.ownerId) return 'not_a_member'
      const others = store.members.filter((member) => member.projectId !== projectId || member.userId !== userId)
      replaceMembers(store, projectId, [...others, { projectId, userId, role: 'manager' }])
      store.record({ action: 'project.take_over', projectId, userId })
      return 'done'
    },
    async remove(projectId, userId) {
      const members = store.members.filter((member) => member.projectId !== projectId || member.userId !== userId)
      const gone = store.members.find((member) => !members.includes(member))
      if (gone === undefined) return false
      replaceMembers(store, projectId, members)
      store.record({ action: 'member.remove', projectId, ...memberOf(userId, { role: gone.role }) })
      return true
    },
  }
}

function memberOf(userId: string | null, details: AuditDetails): Pick<AuditFact, 'userId' | 'details'> {
  return userId === null ? { details: { ...details, everyone: true } } : { userId, details }
}

/** Throws `last_manager` when the project would have no manager. */
function replaceMembers(store: MemoryStore, projectId: string, members: MemoryStore['members']): void {
  const managers = members.filter((one) => one.projectId === projectId && one.role === 'manager' && one.userId !== null)
  if (managers.length === 0) throw lastManager()
  store.members = members
  giveOwner(store, store.projects.get(projectId)!, null)
}

/** Gives a project its earliest manager as its owner, or `other` if it has members but no manager. */
export function giveOwner(store: MemoryStore, project: Project, other: string | null): void {
  const members = store.members.filter((one) => one.projectId === project.id)
  const managers = members.filter((one) => one.role === 'manager' && one.userId !== null)
  if (managers.some(({ userId }) => userId === project.ownerId)) return
  const ownerId = managers[0]?.userId ?? (members.length > 0 ? other : null)
  if (ownerId === null) return
  project.ownerId = ownerId
  for (const document of [...store.documents.values(), ...store.trash.values()])
    if (document.projectId === project.id) document.ownerId = ownerId
}
