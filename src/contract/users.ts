import { z } from 'zod'
import { nextCursor, pageQuery, shownName, timestamp } from './common.ts'

/** Loose on purpose: only a link that arrives proves an address. What people type by mistake, a blank or no `@`, is refused. */
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
    has_password: z.boolean().meta({ description: 'False until the setup or invitation link was used' }),
    created_at: timestamp,
    last_login_at: timestamp.nullable().meta({ description: 'When a browser was last logged in; null when never' }),
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof user>

export const userList = z.object({ users: z.array(user), next_cursor: nextCursor }).meta({ id: 'UserList' })
export type UserList = z.infer<typeof userList>
export const userListQuery = z.strictObject(pageQuery)

export const userCreate = z
  .strictObject({
    email,
    name: shownName.optional().meta({ description: 'Default: what stands before the @' }),
    password: z.string().optional().meta({ description: 'Left out: the answer has a link with which the person makes one' }),
    role: z
      .enum(['owner', 'member'])
      .default('member')
      .meta({ description: '`owner` completes the account of the owner, who has no password yet' }),
  })
  .meta({ id: 'UserCreate' })
export type UserCreate = z.input<typeof userCreate>

const link = {
  invitation_url: z.string().meta({ description: 'Good once, shown this once' }),
  invitation_expires_at: timestamp,
}
export const userCreated = user
  .extend({ invitation_url: link.invitation_url.optional(), invitation_expires_at: link.invitation_expires_at.optional() })
  .meta({ id: 'UserCreated' })
export type UserCreated = z.infer<typeof userCreated>
export const userReset = user.extend(link).meta({ id: 'UserReset' })
export type UserReset = z.infer<typeof userReset>

export const userUpdate = z
  .strictObject({ name: shownName.optional(), disabled: z.boolean().optional() })
  .meta({ id: 'UserUpdate' })
export type UserUpdate = z.input<typeof userUpdate>
export const userDeleted = z
  .object({ id: z.string(), email: z.string().nullable(), documents_deleted: z.int() })
  .meta({ id: 'UserDeleted' })
export type UserDeleted = z.infer<typeof userDeleted>
