import type { CallerCredential } from './caller.ts'
import type { ProjectLimit } from './model.ts'

/** What the audit log records. A new action goes here, and into docs/audit.md. */
export const AUDIT_ACTIONS = [
  'document.upload',
  'document.replace',
  'document.update',
  'document.reprocess',
  'document.delete',
  'document.restore',
  'document.download',
  'project.create',
  'project.update',
  'project.delete',
  'project.take_over',
  'synonyms.change',
  'member.add',
  'member.change',
  'member.remove',
  'user.create',
  'user.invite',
  'user.reset',
  'user.update',
  'user.disable',
  'user.enable',
  'user.delete',
  'user.login',
  'user.login_failed',
  'user.logout',
  'user.password',
  'key.create',
  'key.revoke',
  'saved_search.create',
  'saved_search.update',
  'saved_search.delete',
  'webhook.create',
  'webhook.update',
  'webhook.rotate',
  'webhook.disable',
  'webhook.delete',
  'application.create',
  'application.update',
  'application.rotate',
  'application.delete',
  'consent.give',
  'consent.withdraw',
  'model.use',
  'model.pull',
  'model.remove',
  'settings.change',
  'backup.create',
  'backup.restore',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export type AuditDetails = Readonly<Record<string, string | number | boolean | readonly string[] | null>>

/** Returns the projects that a credential is limited to, for the details; nothing without a limit. */
export function limitFact(limit: ProjectLimit): AuditDetails {
  return limit === null ? {} : { projects: limit }
}

/** A change as it is recorded. The records add the caller, the time, and the names that user and project have now. */
export interface AuditFact {
  action: AuditAction
  /** Who did it, where that is not the caller: somebody who is logging in. */
  actorId?: string
  /** Whose account it is about. */
  userId?: string
  projectId?: string
  document?: { id: string; name: string }
  details?: AuditDetails
  /** Counts repetitions within AUDIT_REPEAT_MS in `details.times` of one event, so that they can't fill the disk. */
  isRepeated?: boolean
}

/** How long repetitions are counted in the same event. */
export const AUDIT_REPEAT_MS = 15 * 60 * 1000

/** The addresses from which repetitions about one user or one document get an event of their own. All others share one without address. */
export const MAX_AUDIT_ADDRESSES = 20

export interface AuditUser {
  id: string
  name: string
  email: string | null
}

/** What happened, with all names as they were then. */
export interface AuditEvent {
  id: number
  time: Date
  action: AuditAction
  /** Null when nobody was logged in, or when docsearch did it by itself. */
  actor: AuditUser | null
  /** Whose account it is about, if it is about one. */
  user: AuditUser | null
  project: { id: string; name: string } | null
  document: { id: string; name: string } | null
  address: string | null
  credential: CallerCredential | null
  details: AuditDetails
}
