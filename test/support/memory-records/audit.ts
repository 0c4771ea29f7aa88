import type { AuditEvent } from '../../../src/core/audit.ts'
import { AUDIT_SCAN, changedSettings, matchesQuery, scanOf, type Audit, type AuditScan } from '../../../src/records/audit.ts'
import type { MemoryStore } from './store.ts'

export function memoryAudit(store: MemoryStore): Audit {
  let settings: Readonly<Record<string, string>> | null = null
  return {
    record: async (fact) => store.record(fact),
    async list(sight, query) {
      const scan = scanOf(sight, query)
      const seen = store.audit.filter((event) => isInScan(scan, event)).sort((a, b) => b.id - a.id)
      const part = seen.slice(0, AUDIT_SCAN)
      return {
        events: structuredClone(part.filter((event) => matchesQuery(query, event))),
        nextId: part.length < AUDIT_SCAN ? null : (part.at(-1)?.id ?? null),
      }
    },
    async recordSettings(values) {
      const changed = settings === null ? [] : changedSettings(settings, values)
      settings = { ...values }
      if (changed.length > 0) store.record({ action: 'settings.change', details: { changed } })
    },
    async formerProjects(userId) {
      return new Set(store.formerManagers.flatMap((former) => (former.userId === userId ? [former.projectId] : [])))
    },
    async sweep(before, limit) {
      const old = store.audit.filter(({ id }) => id < before.getTime()).slice(0, limit)
      store.audit = store.audit.filter((event) => !old.includes(event))
      if (old.length > 0)
        store.formerManagers = store.formerManagers.filter(({ projectId }) =>
          store.audit.some(({ project }) => project?.id === projectId),
        )
      return old.length
    },
    key: async () => '00'.repeat(32),
  }
}

function isInScan(scan: AuditScan, { id, actor, user, project, document }: AuditEvent): boolean {
  const { userId, projects, ownIn, accounts, documentId, from, to } = scan
  if (id < from || id >= to || (documentId !== undefined && document?.id !== documentId)) return false
  const isOwn = actor?.id === userId && (ownIn === null || (project !== null && ownIn.has(project.id)))
  if (project !== null) return isOwn || projects.has(project.id)
  if (accounts === 'none') return false
  return isOwn || accounts === 'all' || (accounts === 'own' && user?.id === userId)
}
