import { z } from 'zod'
import { EVERYONE } from '../core/model.ts'
import { timestamp } from './common.ts'
import { projectRole } from './projects.ts'

export const member = z
  .object({
    user: z
      .union([z.object({ id: z.string(), email: z.string().nullable(), name: z.string() }), z.literal(EVERYONE)])
      .meta({ description: '`everyone` means all present and future users of the instance' }),
    role: projectRole,
  })
  .meta({ id: 'Member' })
export type Member = z.infer<typeof member>

export const memberList = z.object({ members: z.array(member) }).meta({ id: 'MemberList' })
export type MemberList = z.infer<typeof memberList>

export const memberSet = z
  .strictObject({
    role: projectRole,
    invite: z
      .boolean()
      .default(true)
      .meta({ description: '`false`: refuse an email address that nobody has, instead of creating an account for it' }),
  })
  .meta({ id: 'MemberSet' })

export const memberSaved = member
  .extend({
    invitation_url: z.string().optional().meta({
      description: 'A link for setting the password, if this request created the account. It works once and is shown only once',
    }),
    invitation_expires_at: timestamp.optional(),
  })
  .meta({ id: 'MemberSaved' })
export type MemberSaved = z.infer<typeof memberSaved>
