import { z } from 'zod'
import { DOCUMENT_STATUSES, KEY_SCOPES, SCOPES } from '../core/model.ts'

/** RFC 3339 in UTC, as `Date.prototype.toISOString` writes it. */
export const timestamp = z.iso.datetime({ offset: true }).meta({ id: 'Timestamp' })

export const scope = z.enum(SCOPES).meta({ id: 'Scope' })
/** A scope of an API key. */
export const keyScope = z.enum(KEY_SCOPES).meta({ id: 'KeyScope' })

export const documentStatus = z.enum(DOCUMENT_STATUSES).meta({ id: 'DocumentStatus' })

/** A user's usage. */
export const usage = z
  .object({
    documents: z.int(),
    bytes: z.int().meta({ description: 'Sum of `size_bytes` of all documents, each copy of a file included' }),
    passages: z.int().meta({
      description:
        'Passages of all documents. While a newer version of a document waits, the passages of the earlier version count',
    }),
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof usage>

/** A user's quotas. */
export const quota = z
  .object({ documents: z.int().nullable(), bytes: z.int().nullable(), passages: z.int().nullable() })
  .meta({ id: 'Quota', description: 'Maximum documents, bytes and passages of the user. Null means no quota' })
export type Quota = z.infer<typeof quota>

/** The name of a user, a key or an application. Without control characters, because terminals and web pages show it. */
export const displayName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')

/** An ID or a name in a request. */
export const nameOrId = z.string().min(1).max(200)

/** The number of projects to which a credential can be limited. */
export const MAX_LIMIT_PROJECTS = 100

/** The projects to which a new credential is limited. */
export const projectLimit = z.array(nameOrId).min(1).max(MAX_LIMIT_PROJECTS)

/** The projects to which a credential is limited. */
export const limitedTo = z
  .array(z.object({ id: z.string(), name: z.string() }))
  .nullable()
  .meta({
    description: 'The projects that this is limited to, without those that you are no longer a member of. Null without a limit',
  })

/** A query parameter that may be repeated: at most `max` values. The output is an array. */
export function oneOrSeveral<T extends z.ZodString>(value: T, max: number) {
  const list = z.array(value).min(1).max(max)
  return z.preprocess((sent) => (sent === undefined ? sent : [sent].flat()), list.optional())
}

/** Query parameters of every list. */
export const listQuery = {
  limit: z.coerce.number().int().min(1).max(100).default(20).meta({ description: 'Maximum number of entries' }),
  cursor: z.string().max(500).optional().meta({ description: '`next_cursor` of the previous answer' }),
}

export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Send it as `cursor` to get the next entries. Null if there are none' })

/** An error (RFC 9457) with a stable `code`, the `request_id` and, if the request is invalid, its first faults in `errors`. */
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
