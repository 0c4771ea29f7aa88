import { z } from 'zod'
import { nextCursor, listQuery, displayName, quota, timestamp, usage } from './common.ts'

/** Refuses only typing errors: blanks, or a missing `@`. Whether an address exists can't be checked here. */
export const email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, 'must be an email address such as name@example.org')

export const user = z
  .object({
    id: z.string(),
    email: z.string().nullable(),
    name: z.string(),
    role: z.enum(['owner', 'member']),
    disabled: z.boolean(),
    has_password: z.boolean().meta({ description: 'False until the user has chosen a password' }),
    created_at: timestamp,
    last_login_at: timestamp.nullable().meta({ description: 'Last login in a browser. Null if there was none' }),
    project_count: z
      .int()
      .optional()
      .meta({ description: 'Number of projects that the user is a member of, also through `everyone`' }),
    usage,
    quota,
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof user>

export const userList = z.object({ users: z.array(user), next_cursor: nextCursor }).meta({ id: 'UserList' })
export type UserList = z.infer<typeof userList>
export const userListQuery = z.strictObject(listQuery)

export const userCreate = z
  .strictObject({
    email,
    name: displayName.optional().meta({ description: 'Default: the part of the email before the @' }),
    password: z.string().optional().meta({ description: 'Without it, the answer has a link for setting the password' }),
    role: z
      .enum(['owner', 'member'])
      .default('member')
      .meta({ description: '`owner` completes the account of an owner who has no password yet' }),
  })
  .meta({ id: 'UserCreate' })
export type UserCreate = z.input<typeof userCreate>

const link = {
  invitation_url: z.string().meta({ description: 'A link for setting the password. It works once and is shown only once' }),
  invitation_expires_at: timestamp,
}
export const userCreated = user
  .extend({ invitation_url: link.invitation_url.optional(), invitation_expires_at: link.invitation_expires_at.optional() })
  .meta({ id: 'UserCreated' })
export type UserCreated = z.infer<typeof userCreated>
export const userReset = user.extend(link).meta({ id: 'UserReset' })
export type UserReset = z.infer<typeof userReset>

const ownQuota = z.int().min(0).nullable().optional()
export const userUpdate = z
  .strictObject({
    name: displayName.optional(),
    disabled: z.boolean().optional(),
    quota: z
      .strictObject({ documents: ownQuota, bytes: ownQuota, passages: ownQuota })
      .optional()
      .meta({ description: 'Quotas of this user: 0 for no quota, null for the quota of the instance' }),
  })
  .meta({ id: 'UserUpdate' })
export type UserUpdate = z.input<typeof userUpdate>
export const userDeleted = z
  .object({ id: z.string(), email: z.string().nullable(), documents_deleted: z.int() })
  .meta({ id: 'UserDeleted' })
export type UserDeleted = z.infer<typeof userDeleted>

export const userDeletion = z
  .object({
    id: z.string(),
    email: z.string().nullable(),
    projects: z
      .array(z.object({ id: z.string(), name: z.string(), document_count: z.int(), trashed_count: z.int() }))
      .meta({ description: 'The projects of the user that have no other members' }),
    document_count: z.int().meta({ description: 'Documents in these projects' }),
    trashed_count: z.int().meta({ description: 'Documents in the trash of these projects' }),
  })
  .meta({ id: 'UserDeletion' })
export type UserDeletion = z.infer<typeof userDeletion>
