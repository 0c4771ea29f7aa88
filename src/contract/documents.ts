import { z } from 'zod'
import { documentStatus, nextCursor, pageQuery, timestamp } from './common.ts'

export const document = z
  .object({
    id: z.string(),
    project: z.object({ id: z.string(), name: z.string() }),
    name: z.string(),
    path: z.string(),
    media_type: z.string(),
    size_bytes: z.int(),
    sha256: z.string(),
    status: documentStatus,
    created_at: timestamp,
    updated_at: timestamp,
    ready_at: timestamp.nullable(),
    page_count: z.int().nullable(),
    chunk_count: z.int().nullable(),
    embedding_model: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    warnings: z.array(z.object({ code: z.string(), message: z.string(), page: z.int().optional() })),
    health: z.object({
      pages: z.int(),
      pages_with_text: z.int(),
      pages_without_text: z.int(),
      chunks_skipped: z.int(),
    }),
    title: z.string().nullable(),
    tags: z.array(z.string()),
    parse: z.record(z.string(), z.unknown()).meta({ description: 'What read it: engine, encoding, time' }),
  })
  .meta({ id: 'Document' })
export type Document = z.infer<typeof document>

export const documentList = z.object({ documents: z.array(document), next_cursor: nextCursor }).meta({ id: 'DocumentList' })
export type DocumentList = z.infer<typeof documentList>

export const documentListQuery = z.strictObject({
  ...pageQuery,
  project: z.string().min(1).max(200).optional(),
  status: documentStatus.optional(),
  name: z.string().min(1).max(1000).optional().meta({ description: 'Part of the name, without regard to case' }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')
    .optional(),
})

export const textQuery = z.strictObject({ page: z.coerce.number().int().min(1).optional() })

export const onConflict = z.enum(['replace', 'keep', 'error']).meta({
  description:
    'When the path is taken by other bytes: `replace` them in the same document, `keep` both (the new path gets a number), or refuse with an `error`. The same bytes are `unchanged` in any case.',
})

const tags = z
  .string()
  .max(2000)
  .default('')
  .meta({ description: 'Comma-separated. Empty or left out: a document that is there already keeps the tags it has' })

/** Fields beside the `file` parts; for a raw body the same as query parameters, with `name`. */
export const uploadFields = z.strictObject({
  project: z.string().trim().min(1).max(200).default('default'),
  tags,
  path: z
    .array(z.string().min(1).max(4000))
    .default([])
    .meta({ description: 'Where each file came from, in order; its name when missing' }),
  on_conflict: onConflict.default('replace'),
})
export const rawUploadQuery = z.strictObject({
  name: z.string().min(1).max(1000).meta({ description: 'Name of the one file that is the body' }),
  project: z.string().trim().min(1).max(200).default('default'),
  tags,
  path: z.string().min(1).max(4000).optional().meta({ description: 'Where it came from; its name when missing' }),
  on_conflict: onConflict.default('replace'),
})

export const uploadAnswer = z
  .object({
    documents: z.array(document.extend({ outcome: z.enum(['created', 'replaced', 'unchanged']) })),
    rejected: z.array(z.object({ name: z.string(), code: z.string(), message: z.string() })),
  })
  .meta({ id: 'UploadAnswer' })
export type UploadAnswer = z.infer<typeof uploadAnswer>

export const documentEvent = z
  .object({
    id: z.int(),
    type: z.string(),
    document_id: z.string(),
    project_id: z.string(),
    created_at: timestamp,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'DocumentEvent' })
export type DocumentEvent = z.infer<typeof documentEvent>

export const eventQuery = z.strictObject({
  last_event_id: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an event: digits')
    .transform(Number)
    .optional()
    .meta({ description: 'As Last-Event-ID, for clients that cannot send a header; the header wins' }),
})
