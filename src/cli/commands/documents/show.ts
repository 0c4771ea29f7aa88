import type { Client } from '../../../client/client.ts'
import type { Document } from '../../../contract/documents.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { pagesAre, pageWord } from '../../../core/location.ts'
import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'
import { count } from '../../view/style.ts'
import { formatFields } from '../../view/table.ts'
import { collectPages } from '../find.ts'
import { DOCUMENT, documentId, inProject } from './find.ts'
import { shownMoment } from '../../view/time.ts'

export default defineCommand({
  name: 'show',
  summary: 'Show a document',
  arguments: { document: argument('<document>', DOCUMENT) },
  options: { project: inProject },
  examples: ['docsearch documents show report.pdf'],
  async run(context, args, { project }) {
    const client = await context.client()
    const document = await client.documents.get(await documentId(client, args.document, project))
    if (context.json) {
      context.printJson(document)
      return
    }
    const attachments = document.parse.pages_are === 'messages' ? await listAttachments(client, document.id) : []
    context.print(
      formatFields([...fieldsOf(document, context.terminal), ...attachmentFields(document, attachments)], context.table),
    )
  },
})

function listAttachments(client: Client, parent: string): Promise<Document[]> {
  return collectPages(undefined, async (page) => {
    const { documents, next_cursor: next } = await client.documents.list({ parent, sort: 'name', ...page })
    return { items: documents, next }
  })
}

/** The attachments of a message, and those that are no documents. */
function attachmentFields({ parse }: Document, attachments: readonly Document[]): [string, string][] {
  const skipped = parse.attachments_skipped ?? []
  const more = (parse.attachments_skipped_count ?? 0) - skipped.length
  return [
    ...attachments.map(({ id, name, status }): [string, string] => ['attachment', `${name} (${id}, ${status})`]),
    ...skipped.map(({ name, code }): [string, string] => ['not searchable', `${name} (${code})`]),
    ...(more > 0 ? [['not searchable', count(more, 'more attachment', 'more attachments')] as [string, string]] : []),
  ]
}

function fieldsOf(document: Document, terminal: boolean): [string, string | null][] {
  const { health } = document
  return [
    ['id', document.id],
    ['name', document.name],
    ['title', document.title],
    ['project', document.project.name],
    ['path', document.path],
    ['attached to', document.parent_id ?? null],
    ['tags', document.tags.join(', ')],
    ['status', document.status],
    ['error', document.error === null ? null : `${document.error.code}: ${document.error.message}`],
    ...document.warnings.map((warning): [string, string] => [
      'warning',
      `${warning.code}${warning.page === undefined ? '' : `, ${pageWord(document.media_type)} ${warning.page}`}: ${warning.message}`,
    ]),
    ['type', document.media_type],
    ['size', terminal ? formatBytes(document.size_bytes) : String(document.size_bytes)],
    ['sha256', document.sha256],
    [terminal ? pagesAre(document.media_type) : 'pages', document.page_count === null ? null : String(document.page_count)],
    ['with text', document.page_count === null ? null : String(health.pages_with_text)],
    ['without text', health.pages_without_text === 0 ? null : String(health.pages_without_text)],
    ...parseFields(document.parse),
    ['passages', document.chunk_count === null ? null : String(document.chunk_count)],
    ['keyword only', health.chunks_skipped === 0 ? null : count(health.chunks_skipped, 'passage')],
    ['embedded by', document.embedding_model],
    ['created', shownMoment(document.created_at, terminal)],
    ['ready', shownMoment(document.ready_at, terminal)],
  ]
}

function parseFields({
  engine,
  encoding,
  confidence,
  took_ms: took,
  ocr,
  running_pages: running,
}: Document['parse']): [string, string | null][] {
  const certainty = confidence === undefined || confidence === 1 ? '' : ` (${Math.round(confidence * 100)} % certain)`
  return [
    ['parsed by', engine === undefined ? null : `${engine}${took === undefined ? '' : ` in ${took} ms`}`],
    ['left out', running === undefined ? null : `running headers, footers and page numbers of ${count(running, 'page')}`],
    ['encoding', encoding === undefined ? null : encoding + certainty],
    ['OCR', ocr === undefined ? null : `${count(ocr.pages, 'page')} in ${ocr.took_ms} ms`],
  ]
}
