import { z } from 'zod'
import { isProjectId } from '../core/ids.ts'
import { PROJECT_ROLES } from '../core/model.ts'
import { displayName, listQuery, nextCursor, timestamp } from './common.ts'

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
