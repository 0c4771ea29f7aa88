import type { AuditAction, AuditEvent, AuditFact } from '../core/audit.ts'
import type { ProjectIds } from './projects.ts'

/** What a reader of the audit log may see. Events about a project are for its managers, all others are account events. */
export interface AuditSight {
  /** Whose own events to include: those that the user caused. */
  userId: string
  /** All events of these projects. */
  projects: ProjectIds
  /** The projects that the reader's credential is limited to; null without a limit. */
  limit: ProjectIds | null
  /** `own`: those about the user's account. The user's own account events are seen with any value but `none`. */
  accounts: 'all' | 'own' | 'none'
}

export interface AuditQuery {
  action?: AuditAction | undefined
  /** The ID or the email of the user who caused the event. */
  actor?: string | undefined
  projectId?: string | undefined
  documentId?: string | undefined
  /** The earliest time, included. */
  after?: Date | undefined
  /** The time of the next event that is too late. */
  before?: Date | undefined
  /** Return only events before the one with this ID. */
  beforeId?: number | undefined
}

/** The events that one call of `Audit.list` reads at most. */
export const AUDIT_SCAN = 250

/**
 * What happened, and who did it. Every other method of the records that changes something records it in its own transaction, on behalf of
 * `currentCaller`. The IDs grow over all events, so they reveal how much others do: show them only sealed. An ID is at least the time of its
 * event in milliseconds.
 */
export interface Audit {
  /** Records what changes nothing else in the records. */
  record(fact: AuditFact): Promise<void>
  /**
   * Reads the next AUDIT_SCAN events that the reader may see, and returns those that match, newest first. There may be more events before
   * `nextId`, also when none of these matches; null at the end.
   */
  list(sight: AuditSight, query: AuditQuery): Promise<{ events: AuditEvent[]; nextId: number | null }>
  /**
   * Takes what stands for the value of each setting, and records which ones are other than at the last call. The first call records
   * nothing.
   */
  recordSettings(values: Readonly<Record<string, string>>): Promise<void>
  /** Returns the deleted projects of which the user was a manager. */
  formerProjects(userId: string): Promise<ProjectIds>
  /** Deletes up to `limit` events from before a time, oldest first. Returns how many. */
  sweep(before: Date, limit: number): Promise<number>
  /** Returns the key that seals IDs, in hex. It is always the same. */
  key(): Promise<string>
}

/** Returns the names of the settings that have another value, or that only one of the two has. */
export function changedSettings(
  former: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): readonly string[] {
  const names = new Set([...Object.keys(former), ...Object.keys(values)])
  return [...names].filter((name) => former[name] !== values[name]).toSorted()
}

/** Which events a call of `Audit.list` reads. */
export interface AuditScan {
  userId: string
  /** All events of these projects. */
  projects: ProjectIds
  /** The reader's own events in these projects, or in all. With `accounts`, also the reader's own account events. */
  ownIn: ProjectIds | null
  /** `own`: events about the reader's account. `none`: no account events. */
  accounts: AuditSight['accounts']
  documentId: string | undefined
  /** The IDs from `from` to before `to`. */
  from: number
  to: number
}

/** By how much the ID of an event may be larger than its time, in milliseconds: after many events at once, or when the clock was set back a bit. */
const MAX_ID_AHEAD = 60_000

export function scanOf(sight: AuditSight, query: AuditQuery): AuditScan {
  const { userId, limit } = sight
  const { projectId, documentId, after, before, beforeId = Number.MAX_SAFE_INTEGER } = query
  const isWanted = (id: string) => (projectId === undefined || id === projectId) && (limit === null || limit.has(id))
  const wanted = projectId === undefined ? limit : new Set([projectId].filter(isWanted))
  const isAboutProject = projectId !== undefined || documentId !== undefined
  return {
    userId,
    projects: projectId === undefined && limit === null ? sight.projects : new Set([...sight.projects].filter(isWanted)),
    ownIn: wanted,
    accounts: isAboutProject || limit !== null ? 'none' : sight.accounts,
    documentId,
    from: after?.getTime() ?? 0,
    to: Math.min(beforeId, before === undefined ? Infinity : before.getTime() + MAX_ID_AHEAD),
  }
}

export function matchesQuery(query: AuditQuery, event: AuditEvent): boolean {
  const { action, actor, projectId, documentId, after, before } = query
  return (
    (action === undefined || event.action === action) &&
    (actor === undefined || event.actor?.id === actor || event.actor?.email?.toLowerCase() === actor.toLowerCase()) &&
    (projectId === undefined || event.project?.id === projectId) &&
    (documentId === undefined || event.document?.id === documentId) &&
    (after === undefined || event.time >= after) &&
    (before === undefined || event.time < before)
  )
}
