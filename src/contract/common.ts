import { z } from 'zod'
import { DOCUMENT_STATUSES, SCOPES } from '../core/model.ts'

/** RFC 3339 in UTC, as `Date.prototype.toISOString` writes it. */
export const timestamp = z.iso.datetime({ offset: true }).meta({ id: 'Timestamp' })

export const scope = z.enum(SCOPES).meta({ id: 'Scope' })

export const documentStatus = z.enum(DOCUMENT_STATUSES).meta({ id: 'DocumentStatus' })

/** What a person, a key or an application is called. Shown on terminals and in pages: no control characters. */
export const shownName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')

/** What names a thing in a request: an id or a name. */
export const nameOrId = z.string().min(1).max(200)

/** Query parameters of every list. They arrive as text. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(100).default(20).meta({ description: 'How many at most' }),
  cursor: z.string().max(500).optional().meta({ description: '`next_cursor` of the answer before' }),
}

export const nextCursor = z.string().nullable().meta({ description: 'Null on the last page' })

/** RFC 9457, with a stable `code`, the `request_id` and, for what does not validate, every fault. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .catchall(z.unknown())
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof problem>
