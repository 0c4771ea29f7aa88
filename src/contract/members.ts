import { z } from 'zod'
import { EVERYONE } from '../core/model.ts'
import { timestamp } from './common.ts'
import { projectRole } from './projects.ts'

export const member = z
  .object({
    user: z
      .union([z.object({ id: z.string(), email: z.string().nullable(), name: z.string() }), z.literal(EVERYONE)])
      .meta({ description: '`everyone` stands for all users of the instance, now and later' }),
    role: projectRole,
  })
  .meta({ id: 'Member' })
export type Member = z.infer<typeof member>

export const memberList = z.object({ members: z.array(member) }).meta({ id: 'MemberList' })
export type MemberList = z.infer<typeof memberList>

export const memberSet = z.strictObject({ role: projectRole }).meta({ id: 'MemberSet' })

export const memberSaved = member
  .extend({
    invitation_url: z
      .string()
      .optional()
      .meta({ description: 'A link that works once, for a user who was invited by this request. Shown only once' }),
    invitation_expires_at: timestamp.optional(),
  })
  .meta({ id: 'MemberSaved' })
export type MemberSaved = z.infer<typeof memberSaved>
