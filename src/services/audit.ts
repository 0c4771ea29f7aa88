import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditAction, AuditEvent } from '../core/audit.ts'
import { isProjectId } from '../core/ids.ts'
import { SealedNumbers } from '../core/sealed.ts'
import { invalidCursor } from '../records/result-page.ts'
import type { AuditSight, Records, ResultPage } from '../records/records.ts'
import { isOwner, type Access, type Actor } from './access.ts'
import { notFound, type VisibleProjects } from './visible-projects.ts'

/** How often one request reads AUDIT_SCAN events while it looks for those that match. */
const MAX_SCANS = 40

export interface AuditFilter {
  action?: AuditAction | undefined
  /** ID or email. */
  actor?: string | undefined
  /** ID or name. A deleted project has only its ID. */
  project?: string | undefined
  document?: string | undefined
  /** Included. */
  after?: Date | undefined
  /** Not included. */
  before?: Date | undefined
  limit: number
  cursor?: string | undefined
}

/** An event as its reader sees it. The ID is sealed. */
export type SeenEvent = Omit<AuditEvent, 'id'> & { id: string }

/**
 * What happened, and who did it. Managers see what happened in their projects, the owner of the instance sees what happened to accounts, and
 * users see what they did themselves and what happened to their own account.
 */
export interface Audit {
  /** How many days events are kept; 0 when the audit log is off. */
  readonly days: number
  /**
   * Newest first. A result page may have fewer events than the limit although there are more: one request reads a bounded number of
   * events. Account events also need `manage:keys`. Throws `insufficient_scope`, `project_not_found`, `ambiguous_name` and `invalid_cursor`.
   */
  list(actor: Actor, filter: AuditFilter): Promise<ResultPage<SeenEvent>>
}

interface Options {
  records: Pick<Records, 'audit'>
  access: Pick<Access, 'toRead'>
  days: number
}

export function createAudit({ records: { audit }, access, days }: Options): Audit {
  let sealing: Promise<SealedNumbers> | undefined

  async function sightOf(actor: Actor, visible: VisibleProjects): Promise<AuditSight> {
    const { userId, projectIds: limit, scopes } = actor
    const former = await audit.formerProjects(userId)
    const managed = visible.withRole('manager')
    return {
      userId,
      projects: former.size === 0 ? managed : new Set([...managed, ...former]),
      limit,
      accounts: limit !== null || !scopes.has('manage:keys') ? 'none' : isOwner(actor) ? 'all' : 'own',
    }
  }

  return {
    days,
    async list(actor, { project, document, cursor, limit, ...filter }) {
      const visible = await access.toRead(actor)
      const sight = await sightOf(actor, visible)
      sealing ??= audit.key().then((key) => new SealedNumbers(key))
      const ids = await sealing
      const query = {
        ...filter,
        documentId: document,
        ...(project !== undefined && { projectId: findProject(visible, project) }),
      }
      const found: AuditEvent[] = []
      let next: number | null = cursor === undefined ? Number.MAX_SAFE_INTEGER : openCursor(ids, cursor)
      for (let scans = 0; scans < MAX_SCANS && found.length < limit && next !== null; scans++) {
        if (scans > 0) await nextTurn()
        const { events, nextId } = await audit.list(sight, { ...query, beforeId: next })
        found.push(...events)
        next = nextId
      }
      const items = found.slice(0, limit)
      if (found.length > limit) next = items.at(-1)!.id
      return {
        items: items.map((event) => ({
          ...withoutOthersProjects(actor, visible, withoutOthersAddress(actor, event)),
          id: `aud_${ids.seal(event.id)}`,
        })),
        nextCursor: next === null ? null : String(ids.seal(next)),
      }
    },
  }
}

/** Returns the ID of a project. Any ID may be given: a project that was deleted, or that the actor may not see, has the events that they may see. */
function findProject(visible: VisibleProjects, idOrName: string): string {
  return visible.find(idOrName)?.id ?? (isProjectId(idOrName) ? idOrName : notFound(idOrName))
}

function openCursor(ids: SealedNumbers, cursor: string): number {
  const id = /^\d{1,15}$/.test(cursor) ? ids.open(Number(cursor)) : null
  if (id === null) throw invalidCursor()
  return id
}

/** A user who manages others can read which keys they have. The IDs of projects that the reader is no member of stay hidden. */
function withoutOthersProjects({ userId }: Actor, visible: VisibleProjects, event: AuditEvent): AuditEvent {
  const { projects, ...details } = event.details
  if (!Array.isArray(projects) || event.user?.id === userId) return event
  const seen = projects.filter((id: string) => visible.get(id) !== null)
  const hidden = projects.length - seen.length
  return { ...event, details: { ...details, projects: seen, ...(hidden > 0 && { hidden_projects: hidden }) } }
}

/** The account events of a user may be what the owner of the instance did. Where the owner was then is not the user's business. */
function withoutOthersAddress(actor: Actor, event: AuditEvent): AuditEvent {
  const isOthers = event.actor !== null && event.actor.id !== actor.userId
  return event.project === null && isOthers && !isOwner(actor) ? { ...event, address: null, credential: null } : event
}
