import { z } from 'zod'
import { DocsearchError } from '../core/errors.ts'
import { isIdSuffix } from '../core/ids.ts'
import { DOCUMENT_SORTS, type DocumentSort, MAX_TAGS, SORT_ORDERS } from '../core/model.ts'
import { PAGE_IMAGE_WIDTH } from '../core/page-image.ts'
import { documentStatus, listQuery, nameOrId, nextCursor, oneOrSeveral, timestamp } from './common.ts'
import { pathPrefix } from './search-filter.ts'

const WARNINGS = [
  'Parts of a ready document that a search may miss.',
  '`no_text`: no page has text; a scan needs OCR.',
  '`pages_without_text`: some pages have no text; `page` is the first one.',
  '`cells_skipped`: a spreadsheet has more cells than docsearch reads; `page` is the first sheet that is not complete.',
  '`messages_damaged`: some messages of a mailbox cannot be read; `page` is the first one.',
  '`attachments_skipped`: some attachments of a message are not searchable; the message names them.',
  '`ocr_failed`: the program in `parse.ocr_command` failed; the message gives the reason.',
  '`parse_timeout`, `parse_memory`: parsing stopped at a limit; `page` is the first missing page.',
  '`chunk_not_embedded`: only keyword search finds some passages.',
  '`original_damaged`: the original is missing or damaged on the disk; upload the same file again.',
].join(' ')

const parse = z
  .looseObject({
    engine: z.string().optional().meta({ description: 'The parser: `pdfium`, `mammoth`, `text` …' }),
    encoding: z.string().optional().meta({ description: 'The encoding of a text, Markdown or HTML file' }),
    confidence: z.number().optional().meta({ description: 'How certain the encoding is, from 0 to 1' }),
    pages_are: z
      .string()
      .optional()
      .meta({ description: 'What `page_count` counts: `pages`, `slides`, `sheets`, `chapters` or `messages`' }),
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
    attachments_skipped: z
      .array(z.object({ name: z.string(), page: z.int(), code: z.string() }))
      .optional()
      .meta({
        description:
          'Attachments that did not become documents, at most 100, each with the reason: `unsupported_type`, `encrypted`, `quota_exceeded` …',
      }),
    attachments_skipped_count: z
      .int()
      .optional()
      .meta({ description: 'Number of all attachments that did not become documents' }),
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
    trashed_at: timestamp.nullable().optional().meta({
      description: 'When the document was deleted or replaced. Null if it is not in the trash',
    }),
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
    parent_id: z.string().nullable().optional().meta({
      description: 'The message that the document is attached to. Null for a document that was uploaded',
    }),
    parent_page: z.int().nullable().optional().meta({ description: 'The page of `parent_id` that has the message' }),
    parse,
  })
  .meta({ id: 'Document' })
export type Document = z.infer<typeof document>

const replacedId = z.string().nullable().optional()

export const documentRestored = document
  .extend({
    replaced_id: replacedId.meta({
      description: 'ID of the document that had the path and went to the trash, to restore it. Null if there was none',
    }),
  })
  .meta({ id: 'DocumentRestored' })
export type DocumentRestored = z.infer<typeof documentRestored>

export const documentList = z.object({ documents: z.array(document), next_cursor: nextCursor }).meta({ id: 'DocumentList' })
export type DocumentList = z.infer<typeof documentList>

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case')

export const documentListQuery = z
  .strictObject({
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
    id_suffix: z
      .string()
      .refine(isIdSuffix, 'must be 6 to 26 characters of an ID')
      .optional()
      .meta({ description: 'The end of the ID, at least six characters, as tables of the command line show it' }),
    created_after: timestamp.optional().meta({ description: 'Only documents added at this time or later' }),
    created_before: timestamp.optional().meta({ description: 'Only documents added before this time' }),
    tag: oneOrSeveral(nameOrId, 100).optional().meta({
      description: 'Only documents with this tag; if repeated, with at least one of the tags',
    }),
    media_type: oneOrSeveral(nameOrId, 20).optional().meta({
      description: 'Only documents of this type, such as `application/pdf`; if repeated, of one of the types',
    }),
    parent: z.string().min(1).max(200).optional().meta({ description: 'Only the attachments of the message with this ID' }),
    attachments: z
      .enum(['false'])
      .transform(() => false as const)
      .optional()
      .meta({ description: '`false`: only documents that are no attachments' }),
    sort: z
      .enum(Object.keys(DOCUMENT_SORTS) as [DocumentSort, ...DocumentSort[]])
      .optional()
      .meta({ description: '`newest` by default. Not for the trash, which is sorted by when documents were deleted' }),
    order: z
      .enum(SORT_ORDERS)
      .optional()
      .meta({ description: 'By default `asc` for `name` and `status`, and `desc` for the others: newest, largest, most pages' }),
    trashed: z
      .enum(['true', 'false'])
      .transform((value) => value === 'true')
      .optional()
      .meta({
        description:
          '`true`: only documents in the trash of projects that you may write to, last deleted first; `status` and `warnings` are those from before the deletion',
      }),
  })
  .refine(({ parent, attachments }) => parent === undefined || attachments === undefined, {
    path: ['attachments'],
    message: 'cannot be used with `parent`',
  })
  .refine(({ trashed, sort, order }) => trashed !== true || (sort === undefined && order === undefined), {
    path: ['sort'],
    message: 'cannot be used with `trashed`: the trash is sorted by when documents were deleted',
  })

export const documentDeletion = z.strictObject({
  permanent: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .optional()
    .meta({ description: '`true`: deletes the document for good, even if it is in the trash' }),
})

/** A text that terminals and web pages show on one line. */
const shownText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')

const tagNames = z
  .array(shownText(200).regex(/^[^,]*$/, 'must not contain a comma'))
  .max(MAX_TAGS)
  .transform((tags) => [...new Set(tags)])

/** Either all tags, or those to add and to remove. */
const tagChange = {
  tags: tagNames.optional().meta({ description: 'Replaces all tags' }),
  add_tags: tagNames.optional().meta({ description: 'Adds these tags to the others. Not together with `tags`' }),
  remove_tags: tagNames.optional().meta({ description: 'Removes these tags. Not together with `tags`' }),
}

interface TagChange {
  tags?: unknown
  add_tags?: unknown
  remove_tags?: unknown
}
const isOneTagChange = ({ tags, add_tags: added, remove_tags: removed }: TagChange) =>
  tags === undefined || (added === undefined && removed === undefined)
const TWO_TAG_CHANGES = { path: ['tags'], message: 'cannot be used with `add_tags` or `remove_tags`' }

export const documentUpdate = z
  .strictObject({
    name: shownText(1000)
      .regex(/^[^/]*$/, 'must not contain a slash')
      .optional(),
    path: shownText(4000).optional(),
    title: shownText(500)
      .optional()
      .meta({ description: 'Replaces the title in the file, also when the document is processed again' }),
    ...tagChange,
    project: nameOrId.optional().meta({ description: 'ID or name of an existing project' }),
  })
  .refine((change) => Object.keys(change).length > 0, 'must have at least one field')
  .refine(isOneTagChange, TWO_TAG_CHANGES)
  .meta({ id: 'DocumentUpdate', description: 'What to change. Fields that you leave out stay as they are' })
export type DocumentUpdate = z.input<typeof documentUpdate>

const batchIds = z.array(nameOrId).min(1).max(1000).meta({ description: 'IDs of documents, each once' })
const oneAction = <const A extends string, S extends z.ZodRawShape>(action: A, fields: S) =>
  z.strictObject({ action: z.literal(action), ids: batchIds, ...fields })

export const documentBatch = z
  .discriminatedUnion('action', [
    oneAction('delete', { permanent: z.boolean().default(false).meta({ description: 'Deletes for good' }) }),
    oneAction('restore', {}),
    oneAction('reprocess', {}),
    oneAction('update', { ...tagChange, project: documentUpdate.shape.project }),
  ])
  .refine(({ ids }) => new Set(ids).size === ids.length, { path: ['ids'], message: 'must not contain an ID twice' })
  .refine((batch) => batch.action !== 'update' || Object.keys(batch).length > 2, {
    message: 'must have `tags`, `add_tags`, `remove_tags` or `project`',
  })
  .refine((batch) => batch.action !== 'update' || isOneTagChange(batch), TWO_TAG_CHANGES)
  .meta({ id: 'DocumentBatch' })
export type DocumentBatch = z.input<typeof documentBatch>

export const documentBatchAnswer = z
  .object({
    results: z.array(
      z.object({
        id: z.string(),
        status: z.int().meta({ description: 'The HTTP status that a request for only this document would get' }),
        code: z.string().optional().meta({ description: 'Why it was refused' }),
        replaced_id: z
          .string()
          .optional()
          .meta({ description: 'ID of the document that had the path of a restored document and went to the trash' }),
      }),
    ),
  })
  .meta({ id: 'DocumentBatchAnswer' })
export type DocumentBatchAnswer = z.infer<typeof documentBatchAnswer>

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
    documents: z.array(
      document.extend({
        outcome: z.enum(['created', 'replaced', 'unchanged']),
        replaced_id: z.string().nullable().optional().meta({
          description: 'ID of the replaced version in the trash, for restoring it. Null if no version went to the trash',
        }),
      }),
    ),
    rejected: z.array(
      z.object({
        name: z.string(),
        code: z.string(),
        message: z.string(),
        convertible: z.boolean().optional().meta({
          description: 'True if the file has text that docsearch could read in another format. The message names that format',
        }),
      }),
    ),
  })
  .meta({ id: 'UploadAnswer' })
export type UploadAnswer = z.infer<typeof uploadAnswer>

export const documentEvent = z
  .object({
    id: z.int().meta({ description: 'Send it back unchanged as `Last-Event-ID`. It has no other meaning' }),
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

const { min, max, default: usual } = PAGE_IMAGE_WIDTH

export const pageImageQuery = z.strictObject({
  w: z.coerce.number().int().min(min).max(max).default(usual).meta({ description: 'Width of the image in pixels' }),
})

/** Reads the number of a page in a path. Throws `page_not_found`. */
export function parsePageNumber(sent: string): number {
  if (!/^[1-9]\d{0,8}$/.test(sent)) throw new DocsearchError('page_not_found', 'Pages are numbered from 1.')
  return Number(sent)
}
