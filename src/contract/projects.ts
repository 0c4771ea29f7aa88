import { z } from 'zod'
import { isProjectId } from '../core/ids.ts'
import { PROJECT_ROLES, EVERYONE } from '../core/model.ts'
import { displayName, listQuery, nameOrId, nextCursor, timestamp } from './common.ts'

const name = displayName
  // A project can be given by ID or by name, so a name must not be the ID of another project.
  .refine((text) => !isProjectId(text), 'must not look like the ID of a project')

/** What a member may do: each role more than the one before. */
export const projectRole = z.enum(PROJECT_ROLES)

export const project = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    role: projectRole.meta({ description: 'What you may do in the project' }),
    owner: z
      .object({ id: z.string(), name: z.string() })
      .meta({ description: 'The user whose quotas the documents count towards' }),
    document_count: z.int(),
    chunk_count: z.int().meta({ description: 'Number of passages' }),
    size_bytes: z.int(),
    statuses: z.object({ queued: z.int(), processing: z.int(), ready: z.int(), failed: z.int() }),
    trashed_count: z.int().optional().meta({
      description: 'Number of documents in the trash. Only for writers and managers, and only in the answer for a single project',
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Project' })
export type Project = z.infer<typeof project>

export const projectList = z.object({ projects: z.array(project), next_cursor: nextCursor }).meta({ id: 'ProjectList' })
export type ProjectList = z.infer<typeof projectList>

export const projectListQuery = z.strictObject({
  ...listQuery,
  role: projectRole.optional().meta({ description: 'Only the projects in which you have this role' }),
})
export const projectCreate = z.strictObject({ name, description: z.string().max(2000).default('') }).meta({ id: 'ProjectCreate' })
export type ProjectCreate = z.input<typeof projectCreate>
export const projectUpdate = z
  .strictObject({ name: name.optional(), description: z.string().max(2000).optional() })
  .meta({ id: 'ProjectUpdate' })
export type ProjectUpdate = z.input<typeof projectUpdate>
export const projectDeleted = z
  .object({ id: z.string(), name: z.string(), documents_deleted: z.int() })
  .meta({ id: 'ProjectDeleted' })
export type ProjectDeleted = z.infer<typeof projectDeleted>

const unmanagedProject = z.object({ id: z.string(), name: z.string() }).meta({ id: 'UnmanagedProject' })
export const unmanagedProjectList = z
  .object({ projects: z.array(unmanagedProject), next_cursor: nextCursor })
  .meta({ id: 'UnmanagedProjectList' })
export type UnmanagedProjectList = z.infer<typeof unmanagedProjectList>
export const unmanagedProjectListQuery = z.strictObject(listQuery)
export const projectTakeOver = z
  .strictObject({
    user: nameOrId.optional().meta({ description: 'ID or email address of the member who becomes the manager. Default: you' }),
  })
  .meta({ id: 'ProjectTakeOver' })
export const projectTakenOver = z
  .object({ id: z.string(), manager: z.object({ id: z.string(), email: z.string().nullable(), name: z.string() }) })
  .meta({ id: 'ProjectTakenOver' })
export type ProjectTakenOver = z.infer<typeof projectTakenOver>

const member = z
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
