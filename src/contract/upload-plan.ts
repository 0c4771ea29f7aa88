import { z } from 'zod'
import { document, onConflict, sha256, uploadProject } from './documents.ts'

/** The most files that one request can ask about. */
export const MAX_PLANNED_FILES = 1000

const MAX_TAGS = 100

/** Fields of an upload, with the hash of each file instead of its bytes. */
export const uploadPlanRequest = z
  .strictObject({
    project: uploadProject,
    tags: z
      .array(z.string().trim().min(1).max(200))
      .max(MAX_TAGS)
      .optional()
      .meta({ description: 'The tags that the upload would send' }),
    on_conflict: onConflict,
    files: z
      .array(z.strictObject({ path: z.string().min(1).max(4000), sha256, size_bytes: z.int().min(0) }))
      .min(1)
      .max(MAX_PLANNED_FILES),
  })
  .superRefine(({ files }, context) => {
    const seen = new Set<string>()
    for (const [i, { path }] of files.entries()) {
      if (seen.has(path))
        context.addIssue({ code: 'custom', path: ['files', i, 'path'], message: 'is the path of an earlier file' })
      seen.add(path)
    }
  })
export type UploadPlanRequest = z.input<typeof uploadPlanRequest>

export const uploadPlan = z
  .object({
    files: z
      .array(
        z.object({
          path: z.string(),
          state: z.enum(['new', 'changed', 'unchanged']).meta({
            description: [
              '`new`: the project has no document at the path.',
              '`changed`: the project has a different file there.',
              '`unchanged`: it has the same file, or with `on_conflict=keep` a numbered copy of it.',
            ].join(' '),
          }),
          is_needed: z.boolean().meta({
            description:
              'False if uploading the file would change nothing. An unchanged file is needed if its document failed, or if the tags differ',
          }),
          error: z
            .object({ code: z.string(), message: z.string() })
            .nullable()
            .meta({ description: 'Why the upload would refuse the file (`too_large`, `document_exists`)' }),
          document: document.nullable().meta({ description: 'The document of an unchanged file' }),
        }),
      )
      .meta({ description: 'The files of the request, in its order' }),
  })
  .meta({ id: 'UploadPlan' })
export type UploadPlan = z.infer<typeof uploadPlan>
