import { z } from 'zod'
import { AUDIT_ACTIONS } from '../core/audit.ts'
import { listQuery, nameOrId, nextCursor, timestamp } from './common.ts'

const named = z.object({ id: z.string(), name: z.string() })

const auditUser = z
  .object({ id: z.string(), name: z.string(), email: z.string().nullable() })
  .meta({ id: 'AuditUser', description: 'A user, with the name and email address at that time' })

export const auditEvent = z
  .object({
    id: z.string(),
    time: timestamp,
    action: z.enum(AUDIT_ACTIONS).meta({ id: 'AuditAction', description: 'New versions of docsearch may add actions' }),
    actor: auditUser
      .nullable()
      .meta({ description: 'Who did it. Null for a failed login, and for what docsearch did by itself' }),
    user: auditUser.optional().meta({ description: 'Whose account or membership it is about' }),
    project: named.optional().meta({ description: 'With its name at that time' }),
    document: named.optional().meta({ description: 'With its name at that time' }),
    address: z.string().nullable().meta({ description: 'The network address of the actor, unless you may not see it' }),
    credential: z
      .object({
        kind: z.enum(['session', 'key', 'application', 'command_line']),
        id: z.string().nullable().meta({ description: 'ID of the browser session, of the key, or of the consent' }),
        name: z.string().nullable().meta({ description: 'Name of the key or the application' }),
        last_four: z.string().nullable().meta({ description: 'The last four characters of the key' }),
      })
      .nullable()
      .meta({ description: 'The credential that the actor used. `command_line`: a command on the data folder' }),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: 'More about the action, for example the new `role`. `times` counts repetitions within 15 minutes' }),
  })
  .meta({ id: 'AuditEvent' })
export type AuditEvent = z.infer<typeof auditEvent>

export const auditList = z
  .object({
    events: z.array(auditEvent),
    next_cursor: nextCursor.meta({
      description:
        'Send it as `cursor` to get the next events. Null if there are no more. An answer with few events or none does not mean that there are no more',
    }),
  })
  .meta({ id: 'AuditList' })
export type AuditList = z.infer<typeof auditList>

export const auditListQuery = z.strictObject({
  action: z.enum(AUDIT_ACTIONS).optional(),
  actor: z.string().min(1).max(254).optional().meta({ description: 'ID or email of the user who did it' }),
  project: nameOrId.optional().meta({ description: 'ID or name of a project. A deleted project has only its ID' }),
  document: nameOrId.optional().meta({ description: 'ID of a document' }),
  after: timestamp.optional().meta({ description: 'Events at this time or later' }),
  before: timestamp.optional().meta({ description: 'Events before this time' }),
  ...listQuery,
})
export type AuditFilter = Partial<z.output<typeof auditListQuery>>
