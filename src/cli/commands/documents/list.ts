import type { Document } from '../../../contract/documents.ts'
import { DOCUMENT_SORTS, DOCUMENT_STATUSES, type DocumentSort, type SortOrder } from '../../../core/model.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { choice, flag, integer, option, TAG_FILTER, text, time, TYPE_FILTER } from '../../options.ts'
import type { Styled } from '../../view/safe.ts'
import { formatReasons, formatTable } from '../../view/table.ts'
import { collectPages } from '../find.ts'
import { shownTime } from '../../view/time.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List documents',
  options: {
    project: text('-p, --project <name>', 'Only documents of this project (ID or name)'),
    status: choice('--status <status>', 'Only documents with this status', DOCUMENT_STATUSES),
    warnings: flag('--warnings', 'Only documents with warnings: a search may miss part of them'),
    name: text('--name <text>', 'Only documents with this text in their name'),
    path: text('--path <prefix>', 'Only documents whose path starts with this, such as contracts/2026/'),
    tag: TAG_FILTER,
    type: TYPE_FILTER,
    after: option('--after <date>', 'Only documents added on this day or later, such as 2026-03-31', time),
    before: option('--before <date>', 'Only documents added before this day', time),
    sort: choice(
      '--sort <field>',
      'Sort by this: newest, largest or most pages first',
      Object.keys(DOCUMENT_SORTS) as DocumentSort[],
    ),
    reverse: flag('--reverse', 'Reverse the order'),
    parent: text('--parent <id>', 'Only the attachments of the message with this ID'),
    trashed: flag('--trashed', 'Only documents in the trash: deleted documents and replaced versions'),
    limit: option('-n, --limit <number>', 'Maximum number of documents (default all)', integer(1)),
  },
  examples: [
    'docsearch documents list --status failed',
    'docsearch documents list --warnings --project contracts',
    'docsearch documents list --path contracts/2026/ --type pdf',
    'docsearch documents list --sort size --limit 10',
    'docsearch documents list --trashed',
  ],
  async run(
    context,
    _args,
    { limit, warnings, trashed, path: path_prefix, type: media_type, after, before, reverse, ...options },
  ) {
    const client = await context.client()
    const filter = {
      ...options,
      project: options.project ?? (await context.target()).project ?? undefined,
      path_prefix,
      media_type,
      created_after: after,
      created_before: before,
      ...(warnings && { warnings }),
      ...(trashed && { trashed }),
      ...(reverse && { order: reversedOrder(options.sort ?? 'newest') }),
    }
    const documents = await collectPages(limit, async (page) => {
      const answer = await client.documents.list({ ...filter, ...page })
      return { items: answer.documents, next: answer.next_cursor }
    })
    if (context.json) context.printJson({ documents })
    else if (documents.length === 0) context.notice(trashed ? 'The trash is empty.' : 'No documents.')
    else await context.printLong(trashed ? trashTableOf(documents, context) : tableOf(documents, context))
    return documents.length === 0 ? EXIT.nothing : EXIT.done
  },
})

function reversedOrder(sort: DocumentSort): SortOrder {
  return DOCUMENT_SORTS[sort] === 'asc' ? 'desc' : 'asc'
}

function tableOf(documents: readonly Document[], context: Context): Styled {
  const header = ['ID', 'STATUS', 'PROJECT', 'PATH', 'PAGES', 'SIZE']
  const rows = documents.map((document) => {
    const { id, status, project, path, page_count: pages, size_bytes: size } = document
    const facts = [pages === null ? '-' : String(pages), context.terminal ? formatBytes(size) : String(size)]
    return { cells: [id, status, project.name, path, ...facts], reasons: problemsOf(document) }
  })
  return formatReasons(header, rows, context.table)
}

/** Versions of one path differ in when they were deleted and in their size. */
function trashTableOf(documents: readonly Document[], context: Context): Styled {
  const rows = documents.map(({ id, trashed_at: deleted, project, path, size_bytes: size }) => [
    id,
    shownTime(deleted, context.terminal),
    project.name,
    path,
    context.terminal ? formatBytes(size) : String(size),
  ])
  return formatTable(['ID', 'DELETED', 'PROJECT', 'PATH', 'SIZE'], rows, context.table)
}

/** Why the document failed, or else its warnings. */
function problemsOf({ error, warnings }: Document): string[] {
  return error === null ? warnings.map(({ message }) => message) : [error.message]
}
