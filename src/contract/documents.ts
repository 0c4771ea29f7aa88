import { z } from 'zod'
import { documentStatus, nameOrId, nextCursor, listQuery, timestamp } from './common.ts'
import { pathPrefix } from './search-filter.ts'

const WARNINGS = [
  'Parts of a ready document that a search may miss.',
  '`no_text`: no page has text; a scan needs OCR.',
  '`pages_without_text`: some pages have no text; `page` is the first one.',
  '`ocr_failed`: the program in `parse.ocr_command` failed; the message gives the reason.',
  '`parse_timeout`, `parse_memory`: parsing stopped at a limit; `page` is the first missing page.',
  '`chunk_not_embedded`: only keyword search finds some passages.',
].join(' ')

const parse = z
  .looseObject({
    engine: z.string().optional().meta({ description: 'The parser: `pdfium`, `mammoth`, `text` …' }),
    encoding: z.string().optional().meta({ description: 'The encoding of a text, Markdown or HTML file' }),
    confidence: z.number().optional().meta({ description: 'How certain the encoding is, from 0 to 1' }),
    took_ms: z.int().optional().meta({ description: 'Time to parse the document' }),
    running_pages: z
      .int()
      .optional()
      .meta({ description: 'Number of pages whose running headers, footers and page numbers are not in the text' }),
    cut_short: z
      .boolean()
      .optional()
      .meta({ description: 'True if parsing stopped at a limit. The pages before it are searchable' }),
    ocr: z
      .object({ pages: z.int(), took_ms: z.int() })
      .optional()
      .meta({ description: 'Pages without text that the program in `parse.ocr_command` has read' }),
    given_title: z
      .string()
      .optional()
      .meta({ description: 'The title that a user gave. It takes precedence over the title in the file' }),
    tags: z.array(z.string()).optional().meta({ description: 'Tags in the file itself, used if the upload had none' }),
  })
  .meta({ description: 'How the document was parsed. Empty before that' })

export const document = z
  .object({
    id: z.string(),
    project: z.object({ id: z.string(), name: z.string() }),
    name: z.string(),
    path: z.string().meta({ description: 'Identifies the document in its project' }),
    media_type: z.string(),
    size_bytes: z.int(),
    sha256: z.string(),
    status: documentStatus.meta({ description: '`ready`: a search that starts now can find the document' }),
    created_at: timestamp,
    updated_at: timestamp,
    ready_at: timestamp.nullable(),
    page_count: z.int().nullable().meta({ description: 'Null until the document was parsed' }),
    chunk_count: z.int().nullable().meta({ description: 'Number of passages. Null until the document was indexed' }),
    embedding_model: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable().meta({ description: 'Why the document failed' }),
    warnings: z
      .array(z.object({ code: z.string(), message: z.string(), page: z.int().optional() }))
      .meta({ description: WARNINGS }),
    health: z.object({
      pages: z.int(),
      pages_with_text: z.int(),
      pages_without_text: z.int(),
      chunks_skipped: z.int().meta({ description: 'Passages that only keyword search can find' }),
    }),
    title: z.string().nullable(),
    tags: z.array(z.string()),
    parse,
  })
  .meta({ id: 'Document' })
export type Document = z.infer<typeof document>

export const documentList = z.object({ documents: z.array(document), next_cursor: nextCursor }).meta({ id: 'DocumentList' })
export type DocumentList = z.infer<typeof documentList>

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')

export const documentListQuery = z.strictObject({
  ...listQuery,
  project: z.string().min(1).max(200).optional(),
  status: documentStatus.optional(),
  warnings: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .meta({ description: '`true`: only documents with warnings. `false`: only documents without' }),
  name: z.string().min(1).max(1000).optional().meta({ description: 'Part of the name, in upper or lower case' }),
  sha256: sha256.optional(),
  path_prefix: pathPrefix.optional(),
  tag: nameOrId.optional().meta({ description: 'Only documents with this tag' }),
  media_type: nameOrId.optional().meta({ description: 'Only documents of this type, such as `application/pdf`' }),
})

/** A text that terminals and web pages show on one line. */
const shownText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')

export const documentUpdate = z
  .strictObject({
    name: shownText(1000)
      .regex(/^[^/]*$/, 'must not contain a slash')
      .optional(),
    path: shownText(4000).optional(),
    title: shownText(500)
      .optional()
      .meta({ description: 'Replaces the title in the file, also when the document is processed again' }),
    tags: z
      .array(shownText(200).regex(/^[^,]*$/, 'must not contain a comma'))
      .max(100)
      .transform((tags) => [...new Set(tags)])
      .optional()
      .meta({ description: 'Replaces all tags' }),
    project: nameOrId.optional().meta({ description: 'ID or name of an existing project' }),
  })
  .refine((change) => Object.keys(change).length > 0, 'must have at least one field')
  .meta({ id: 'DocumentUpdate', description: 'What to change. What is left out stays' })
export type DocumentUpdate = z.input<typeof documentUpdate>

export const textQuery = z.strictObject({ page: z.coerce.number().int().min(1).optional() })

export const uploadProject = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .default('default')
  .meta({ description: 'ID or name. A project with a new name is created' })
const tags = z
  .string()
  .max(2000)
  .default('')
  .meta({ description: 'Separated by commas. Without tags, an existing document keeps the tags it has' })
export const onConflict = z.enum(['replace', 'keep', 'error']).default('replace').meta({
  description:
    'What to do if another file has the path: `replace` its content, `keep` both (the new path gets a number), or refuse with an `error`. The same bytes are always `unchanged`',
})

/** The fields of a multipart upload, in addition to its `file` parts. */
export const uploadFields = z.strictObject({
  project: uploadProject,
  tags,
  path: z
    .array(z.string().min(1).max(4000))
    .default([])
    .meta({ description: 'One path for each file, in order. Default: the name of the file' }),
  on_conflict: onConflict,
})

const rawName = z.string().min(1).max(1000)
/** The query parameters of an upload whose body is one file. */
export const rawUploadQuery = z.strictObject({
  name: rawName,
  project: uploadProject,
  tags,
  path: z.string().min(1).max(4000).optional().meta({ description: 'Path of the document. Default: `name`' }),
  on_conflict: onConflict,
})
/** The same for the documentation: a multipart upload needs no `name`. */
export const documentedUploadQuery = rawUploadQuery.extend({
  name: rawName.optional().meta({ description: 'Name of the file, required if the body is the file itself' }),
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
    id: z.int().meta({ description: 'Tells nothing else: send it back as `Last-Event-ID`' }),
    type: z.string(),
    document_id: z.string(),
    project_id: z.string(),
    created_at: timestamp,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'DocumentEvent' })
export type DocumentEvent = z.infer<typeof documentEvent>

/** The first event of a stream if events after `Last-Event-ID` are no longer stored. */
export const missedEvents = z
  .object({
    id: z.int().meta({ description: 'The stream continues after this event' }),
    type: z.literal('events.missed'),
    message: z.string(),
  })
  .meta({ id: 'MissedEvents' })
export type MissedEvents = z.infer<typeof missedEvents>

export const eventQuery = z.strictObject({
  last_event_id: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the ID of an event (digits)')
    .transform(Number)
    .optional()
    .meta({
      description: 'The same as the header Last-Event-ID, for programs that cannot send headers. The header takes precedence',
    }),
})
