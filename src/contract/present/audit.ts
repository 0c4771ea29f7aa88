import type { z } from 'zod'
import type { AuditEvent as Event } from '../../core/audit.ts'
import type { AuditEvent, AuditList, auditListQuery } from '../audit.ts'

/** An event as a service returns it. */
type SeenEvent = Omit<Event, 'id'> & { id: string }

export function presentAuditEvents({ items, nextCursor }: { items: readonly SeenEvent[]; nextCursor: string | null }): AuditList {
  return { events: items.map(presentEvent), next_cursor: nextCursor }
}

function presentEvent({ id, time, action, actor, user, project, document, address, credential, details }: SeenEvent): AuditEvent {
  return {
    id,
    time: time.toISOString(),
    action,
    actor,
    ...(user !== null && { user }),
    ...(project !== null && { project }),
    ...(document !== null && { document }),
    address,
    credential: credential && {
      kind: credential.kind,
      id: credential.id,
      name: credential.name,
      last_four: credential.lastFour,
    },
    details,
  }
}

/** Returns the filter of a request as the service takes it. */
export function toAuditFilter({ after, before, ...filter }: z.output<typeof auditListQuery>) {
  return {
    ...filter,
    ...(after !== undefined && { after: new Date(after) }),
    ...(before !== undefined && { before: new Date(before) }),
  }
}
