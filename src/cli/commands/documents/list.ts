import type { Document } from '../../../contract/documents.ts'
import { DOCUMENT_STATUSES } from '../../../core/model.ts'
import { FORMAT_IDS } from '../../../core/formats.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { choice, flag, integer, mediaType, option, text } from '../../options.ts'
import type { Styled } from '../../view/safe.ts'
import { formatReasons } from '../../view/table.ts'
import { collectPages } from '../pages.ts'

/** Terminal columns that fit every column of the table. */
const WIDE = 100

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
    tag: text('-t, --tag <tag>', 'Only documents with this tag'),
    type: option('--type <type>', `Only documents of this type: ${FORMAT_IDS.join(', ')}, or a media type`, mediaType),
    limit: option('-n, --limit <number>', 'Maximum number of documents (default all)', integer(1)),
  },
  examples: [
    'docsearch documents list --status failed',
    'docsearch documents list --warnings --project contracts',
    'docsearch documents list --path contracts/2026/ --type pdf',
  ],
  async run(context, _args, { limit, warnings, path: path_prefix, type: media_type, ...options }) {
    const client = await context.client()
    const filter = {
      ...options,
      project: options.project ?? (await context.target()).project ?? undefined,
      path_prefix,
      media_type,
      ...(warnings && { warnings }),
    }
    const documents = await collectPages(limit, async (page) => {
      const answer = await client.documents.list({ ...filter, ...page })
      return { items: answer.documents, next: answer.next_cursor }
    })
    if (context.json) context.printJson({ documents })
    else if (documents.length === 0) context.notice('No documents.')
    else context.print(tableOf(documents, context))
    return documents.length === 0 ? EXIT.nothing : EXIT.done
  },
})

/** A narrow terminal gets fewer columns; `documents show` has the rest. */
function tableOf(documents: readonly Document[], context: Context): Styled {
  const isNarrow = context.terminal && context.table.width < WIDE
  const header = ['ID', 'STATUS', 'PROJECT', 'PATH', ...(isNarrow ? [] : ['PAGES', 'SIZE'])]
  const rows = documents.map((document) => {
    const { id, status, project, path, page_count: pages, size_bytes: size } = document
    const facts = [pages === null ? '-' : String(pages), context.terminal ? formatBytes(size) : String(size)]
    return { cells: [id, status, project.name, path, ...(isNarrow ? [] : facts)], reasons: problemsOf(document) }
  })
  return formatReasons(header, rows, context.table)
}

/** Why the document failed, or else its warnings. */
function problemsOf({ error, warnings }: Document): string[] {
  return error === null ? warnings.map(({ message }) => message) : [error.message]
}
