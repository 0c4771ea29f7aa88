import { AUDIT_REPEAT_MS, MAX_AUDIT_ADDRESSES, type AuditEvent, type AuditFact, type AuditUser } from '../../../src/core/audit.ts'
import { currentCaller } from '../../../src/core/caller.ts'

interface AuditedStore {
  readonly users: ReadonlyMap<string, AuditUser>
  readonly projects: ReadonlyMap<string, { name: string }>
  readonly audit: AuditEvent[]
  now(): Date
}

/** Records a fact on behalf of the current caller. */
export function record(store: AuditedStore, fact: AuditFact): void {
  const { action, userId, actorId, projectId, document = null, details = {} } = fact
  const caller = currentCaller()
  const find = (id: string | null | undefined): AuditUser | null => {
    const user = id == null ? undefined : store.users.get(id)
    return user === undefined ? null : { id: user.id, name: user.name, email: user.email }
  }
  const time = store.now()
  const event: AuditEvent = {
    id: Math.max((store.audit.at(-1)?.id ?? 0) + 1, time.getTime()),
    time,
    action,
    actor: find(actorId ?? caller?.userId),
    user: find(userId),
    project: projectId === undefined ? null : { id: projectId, name: store.projects.get(projectId)?.name ?? '' },
    document,
    address: caller?.address ?? null,
    credential: caller?.credential ?? null,
    details,
  }
  if (fact.isRepeated === true && countRepetition(store, event)) return
  store.audit.push(structuredClone(event))
}

function countRepetition(store: AuditedStore, event: AuditEvent): boolean {
  const recent = store.audit.filter(
    ({ id, action, actor, user, document }) =>
      id > event.time.getTime() - AUDIT_REPEAT_MS &&
      action === event.action &&
      actor?.id === event.actor?.id &&
      document?.id === event.document?.id &&
      (event.document !== null || user?.id === event.user?.id),
  )
  if (recent.length >= MAX_AUDIT_ADDRESSES && !recent.some(({ address }) => address === event.address)) event.address = null
  const same = recent.find(({ address }) => address === event.address)
  if (same === undefined) return false
  same.details = { ...same.details, times: Number(same.details['times'] ?? 1) + 1 }
  return true
}
