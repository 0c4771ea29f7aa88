import type { z } from 'zod'
import { auditListQuery, type AuditList } from '../../../contract/audit.ts'
import { presentAuditEvents, toAuditFilter } from '../../../contract/present.ts'
import { examine } from '../../../contract/validate.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { paths } from '../../../pages/paths.ts'
import { AUDIT_FIELDS, renderAudit, type AuditField, type AuditFields } from '../../../pages/settings/audit.tsx'
import type { Dependencies } from '../../dependencies.ts'
import { statusOf } from '../../problems/problems.ts'
import { listAll } from '../forms.ts'
import type { View, ViewCall } from '../routing/page.ts'

const EVENTS = 25
const NONE: AuditList = { events: [], next_cursor: null }

type Parts = Pick<Dependencies, 'audit' | 'projects'>

export const auditPages = ({ audit, projects }: Parts): View[] => [
  {
    method: 'GET',
    path: paths.audit,
    async handle(call) {
      const { actor, ctx, show, signedIn } = call
      const fields = fieldsOf(ctx.query)
      const cursor = lastOf(ctx.query['cursor']) ?? null
      const { found, errors, status } = await find(audit, call, fields, cursor)
      const own = await listAll((page) => projects.list(actor, page))
      const events = { events: found.events, cursor, nextCursor: found.next_cursor, days: audit.days }
      show(renderAudit({ ...signedIn(), fields, errors, projects: own.map(({ id, name }) => ({ id, name })), ...events }), status)
    },
  },
]

function fieldsOf(query: ViewCall['ctx']['query']): AuditFields {
  const fields: AuditFields = {}
  for (const name of AUDIT_FIELDS) {
    const value = lastOf(query[name])
    if (value) fields[name] = value
  }
  return fields
}

function lastOf(value: string | string[] | undefined): string | undefined {
  return [value ?? []].flat().at(-1)
}

interface Outcome {
  found: AuditList
  errors: AuditFields
  status: number
}

/** Asks like the API. Returns errors that the user can correct in the form, and throws all others, which become error pages. */
async function find(audit: Parts['audit'], call: ViewCall, fields: AuditFields, cursor: string | null): Promise<Outcome> {
  const { after, before, ...others } = fields
  const days = {
    ...(after !== undefined && { after: midnight(after) }),
    ...(before !== undefined && { before: midnight(before) }),
  }
  const { data, faults } = examine(auditListQuery, { ...others, ...days, limit: EVENTS, ...(cursor !== null && { cursor }) })
  if (data === undefined) return { found: NONE, errors: errorsOf(faults), status: 400 }
  try {
    return { found: await ask(audit, call, data), errors: {}, status: 200 }
  } catch (error) {
    const isProject = error instanceof DocsearchError && ['project_not_found', 'ambiguous_name'].includes(error.code)
    if (!isProject) throw error
    return { found: NONE, errors: { project: 'You have no such project. Choose one from the list.' }, status: statusOf(error) }
  }
}

async function ask(audit: Parts['audit'], { actor }: ViewCall, query: z.output<typeof auditListQuery>): Promise<AuditList> {
  return presentAuditEvents(await audit.list(actor, toAuditFilter(query)))
}

/** A day begins at midnight in UTC, like the times in the list. */
function midnight(day: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T00:00:00Z` : day
}

function errorsOf(faults: readonly { path: string; message: string }[]): AuditFields {
  const sentences: Record<AuditField, string> = {
    action: 'Choose an action from the list.',
    project: 'Choose a project from the list.',
    actor: 'Enter the email address of a user.',
    after: 'Enter a day such as 2026-03-31.',
    before: 'Enter a day such as 2026-03-31.',
  }
  const errors: AuditFields = {}
  for (const { path } of faults) {
    const field = AUDIT_FIELDS.find((name) => name === path)
    if (field !== undefined) errors[field] = sentences[field]
  }
  return errors
}
