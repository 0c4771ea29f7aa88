import type { z } from 'zod'
import {
  document,
  documentBatch,
  documentBatchAnswer,
  type DocumentBatchAnswer,
  documentDeletion,
  documentList,
  type DocumentList,
  documentListQuery,
  documentRestored,
  type DocumentRestored,
  documentUpdate,
  textQuery,
  pageImageQuery,
  parsePageNumber,
} from '../../../contract/documents.ts'
import { presentDocument } from '../../../contract/present.ts'
import type { BatchAction } from '../../../services/create.ts'
import { attachmentHeaders, sendOriginal, sendPageImage } from '../../answers/send-original.ts'
import type { Dependencies } from '../../dependencies.ts'
import { endWithSight } from '../../middleware/credential-watch.ts'
import { PROBLEMS } from '../../problems/problems.ts'
import { routesWith, type Route } from '../../routing/route.ts'
import type { DocumentFilter, DocumentUpdate } from '../../../services/document-requests.ts'

const route = routesWith({ tag: 'Documents', idDescription: 'ID of the document' })
const path = '/api/v1/documents/{id}'

export const documentRoutes = ({
  credentials,
  documents,
  pageImages,
}: Pick<Dependencies, 'credentials' | 'documents' | 'pageImages'>): Route[] => [
  route({
    operationId: 'listDocuments',
    method: 'GET',
    path: '/api/v1/documents',
    summary: 'List your documents',
    access: 'read:documents',
    query: documentListQuery,
    answers: { 200: { description: 'Some of your documents, and the cursor to the next ones', schema: documentList } },
    problems: ['invalid_cursor', 'project_not_found'],
    async handle({ ctx, actor, query }) {
      const { items, nextCursor } = await documents.list(actor, toDocumentFilter(query))
      ctx.body = { documents: items.map(presentDocument), next_cursor: nextCursor } satisfies DocumentList
    },
  }),
  route({
    operationId: 'getDocument',
    method: 'GET',
    path,
    summary: 'Show a document',
    access: 'read:documents',
    answers: { 200: { description: 'The document', schema: document } },
    problems: ['document_not_found'],
    async handle({ ctx, actor, id }) {
      ctx.body = presentDocument(await documents.get(actor, id))
    },
  }),
  ...changeRoutes({ documents }),
  batchRoute({ documents }),
  contentRoute({ credentials, documents }),
  textRoute({ credentials, documents }),
  pageImageRoute({ credentials, pageImages }),
]

const changeRoutes = ({ documents }: Pick<Dependencies, 'documents'>): Route[] => [
  route({
    operationId: 'updateDocument',
    method: 'PATCH',
    path,
    summary: 'Rename, move or tag a document',
    description: [
      'Changes the document without embedding it again. As soon as you get the answer, searches find it by its new name, title, path, tags and project.',
      'There is one exception: a document that is not ready yet, or that the index cannot change now, is `queued` again, and searches find it as it was until it is ready.',
    ].join(' '),
    access: 'write:documents',
    body: documentUpdate,
    answers: { 200: { description: 'The document after the change', schema: document } },
    problems: ['document_not_found', 'project_not_found', 'path_taken', 'is_attachment', 'too_many_tags'],
    async handle({ ctx, actor, id, body }) {
      ctx.body = presentDocument(await documents.update(actor, id, toDocumentUpdate(body)))
    },
  }),
  route({
    operationId: 'deleteDocument',
    method: 'DELETE',
    path,
    summary: 'Delete a document',
    description:
      'Moves the document to the trash, which keeps it for `trash_days`. In the trash, it still counts towards the quota of bytes. With `permanent=true`, docsearch deletes it for good, even from the trash.',
    access: 'write:documents',
    query: documentDeletion,
    answers: { 204: { description: 'The document is deleted, and no search finds it any more' } },
    problems: ['document_not_found', 'is_attachment'],
    async handle({ ctx, actor, id, query }) {
      await documents.delete(actor, id, { isPermanent: query.permanent === true })
      ctx.status = 204
    },
  }),
  route({
    operationId: 'restoreDocument',
    method: 'POST',
    path: `${path}/restore`,
    summary: 'Restore a document from the trash',
    description:
      'Puts the document back under its ID and path, and reads it again. If another document has taken the path, that document goes to the trash. If the document is not in the trash, nothing changes.',
    access: 'write:documents',
    answers: { 202: { description: 'The document is in the queue', schema: documentRestored } },
    problems: ['document_not_found', 'is_attachment', 'quota_exceeded'],
    async handle({ ctx, actor, id }) {
      const { document: restored, replacedId } = await documents.restore(actor, id)
      ctx.status = 202
      ctx.body = { ...presentDocument(restored), replaced_id: replacedId } satisfies DocumentRestored
    },
  }),
  route({
    operationId: 'reprocessDocument',
    method: 'POST',
    path: `${path}/reprocess`,
    summary: 'Read and index a document again',
    access: 'write:documents',
    answers: { 202: { description: 'The document is in the queue and stays searchable as it was until then', schema: document } },
    problems: ['document_not_found'],
    async handle({ ctx, actor, id }) {
      const requeued = await documents.reprocess(actor, id)
      ctx.status = 202
      ctx.body = presentDocument(requeued)
    },
  }),
]

const contentRoute = ({ credentials, documents }: Pick<Dependencies, 'credentials' | 'documents'>): Route =>
  route({
    operationId: 'getDocumentContent',
    method: 'GET',
    path: `${path}/content`,
    cost: 'streaming',
    summary: 'Download the original',
    description:
      'The bytes that were uploaded, as an attachment. A request for one range gets that range; a request for several ranges gets the whole file.',
    access: 'read:documents',
    headers: {
      Range: { description: 'A single range', example: 'bytes=0-1023' },
      'If-None-Match': { description: 'An ETag; the answer is 304 when it is still the current one' },
      'If-Range': { description: 'An ETag; `Range` counts only while it is the current one' },
    },
    answers: {
      200: {
        description: 'The whole file',
        type: 'application/octet-stream',
        headers: { ETag: 'SHA-256 of the bytes', 'Content-Disposition': 'attachment, with the name', 'Accept-Ranges': 'bytes' },
      },
      206: {
        description: 'The range',
        type: 'application/octet-stream',
        headers: { 'Content-Range': 'First and last byte, and the size of the file' },
      },
      304: { description: 'Unchanged' },
    },
    problems: ['document_not_found', 'range_not_satisfiable', 'blob_missing'],
    async handle({ ctx, actor, id }) {
      const original = await documents.original(actor, id)
      endWithSight(ctx, credentials, actor, original.document.id)
      await sendOriginal(ctx, original, attachmentHeaders(original.document.mediaType))
    },
  })

const textRoute = ({ credentials, documents }: Pick<Dependencies, 'credentials' | 'documents'>): Route =>
  route({
    operationId: 'getDocumentText',
    method: 'GET',
    path: `${path}/text`,
    summary: 'Read the extracted text',
    description:
      'Exactly what was extracted, with a form feed (U+000C) between pages. The offsets of a search result count in this text.',
    access: 'read:documents',
    query: textQuery,
    answers: { 200: { description: 'The text in UTF-8', type: 'text/plain; charset=utf-8' } },
    problems: ['document_not_found', 'page_not_found', 'text_not_ready'],
    async handle({ ctx, actor, id, query }) {
      const { document, text } = await documents.text(actor, id, query.page)
      endWithSight(ctx, credentials, actor, document.id)
      ctx.set('Content-Type', 'text/plain; charset=utf-8')
      ctx.body = text
    },
  })

const pageImageRoute = ({ credentials, pageImages }: Pick<Dependencies, 'credentials' | 'pageImages'>): Route =>
  route({
    operationId: 'getDocumentPageImage',
    method: 'GET',
    path: `${path}/pages/{n}.png`,
    summary: 'Show a page as an image',
    description:
      'A PNG with 16 shades of grey, or with up to 16 colours if the page has colour. A page more than four times as tall as wide can get a narrower image than `w`, because images are at most 8,000 pixels tall. Only PDFs and pictures have images; other documents answer 404 with `no_page_images`.',
    access: 'read:documents',
    pathDescriptions: { n: 'Number of the page, from 1' },
    query: pageImageQuery,
    headers: { 'If-None-Match': { description: 'An ETag; the answer is 304 when it is still the current one' } },
    answers: {
      200: { description: 'The image', type: 'image/png', headers: { ETag: 'Changes when the image changes' } },
      304: { description: 'Unchanged' },
    },
    problems: ['document_not_found', 'page_not_found', 'no_page_images', 'page_image_failed', 'blob_missing'],
    async handle({ ctx, actor, id, params, query }) {
      const image = await pageImages.get(actor, id, parsePageNumber(params['n'] ?? ''), query.w)
      endWithSight(ctx, credentials, actor, image.document.id)
      await sendPageImage(ctx, image)
    },
  })

/** What each action answers for one document. */
const DONE = { delete: 204, restore: 202, reprocess: 202, update: 200 } as const

const batchRoute = ({ documents }: Pick<Dependencies, 'documents'>): Route =>
  route({
    operationId: 'changeDocuments',
    method: 'POST',
    path: '/api/v1/documents/batch',
    summary: 'Delete, restore, reprocess or change many documents',
    description:
      'Applies one action to up to 1,000 documents, one after the other. The answer has a result for each document, in the order of `ids`. `update` changes tags, or moves the documents to another project. Except for `reprocess`, an attachment whose message is among the documents follows it, and gets the same result. `restore` refuses attachments that exceed a quota with `quota_exceeded`, and restores their message.',
    access: 'write:documents',
    body: documentBatch,
    answers: { 200: { description: 'A result for each document', schema: documentBatchAnswer } },
    problems: ['project_not_found'],
    async handle({ ctx, actor, body, gone }) {
      const results = await documents.batch(actor, body.ids, toAction(body), gone)
      ctx.body = {
        results: results.map(({ id, refusal, replacedId }) =>
          refusal === null
            ? { id, status: DONE[body.action], ...(typeof replacedId === 'string' && { replaced_id: replacedId }) }
            : { id, status: PROBLEMS[refusal].status, code: refusal },
        ),
      } satisfies DocumentBatchAnswer
    },
  })

function toAction(batch: z.output<typeof documentBatch>): BatchAction {
  switch (batch.action) {
    case 'delete':
      return { action: 'delete', isPermanent: batch.permanent }
    case 'update':
      return { action: 'update', change: toDocumentUpdate(batch) }
    default:
      return { action: batch.action }
  }
}

/** Returns the filter of a request in the terms of the services. */
function toDocumentFilter(query: z.output<typeof documentListQuery>): DocumentFilter {
  const { path_prefix, media_type: mediaTypes, tag: tags, id_suffix, created_after, created_before, trashed, ...others } = query
  const { parent, attachments, ...filter } = others
  return {
    ...filter,
    pathPrefix: path_prefix,
    mediaTypes,
    tags,
    idSuffix: id_suffix,
    createdAfter: toDate(created_after),
    createdBefore: toDate(created_before),
    parentId: attachments === false ? null : parent,
    isTrashed: trashed,
  }
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}

/** Returns a change with the names of the services. */
export function toDocumentUpdate({
  name,
  path,
  title,
  tags,
  add_tags: addTags,
  remove_tags: removeTags,
  project,
}: Partial<z.output<typeof documentUpdate>>): DocumentUpdate {
  return { name, path, title, tags, addTags, removeTags, project }
}
