import type { Document } from '../../../contract/documents.ts'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { formatReasons } from '../../view/table.ts'
import { collectPages } from '../pages.ts'

/** Columns from which all facts fit beside an id and a path. */
const WIDE = 100

export async function run(
  context: Context,
  _args: string[],
  options: { project?: string; status?: Document['status']; warnings?: boolean; name?: string; limit?: number },
): Promise<number> {
  const client = await context.client()
  const { limit, ...filter } = options
  const project = filter.project ?? (await context.target()).project
  const documents = await collectPages(limit, async (page) => {
    const answer = await client.documents.list({ ...filter, ...(project === null ? {} : { project }), ...page })
    return { items: answer.documents, next: answer.next_cursor }
  })
  if (context.json) context.printJson({ documents })
  else if (documents.length === 0) context.notice('No documents.')
  else context.print(tableOf(documents, context))
  return documents.length === 0 ? EXIT.nothing : EXIT.done
}

/** On a narrow terminal without what `documents show` says too. */
function tableOf(documents: readonly Document[], context: Context): string {
  const isNarrow = context.terminal && context.table.width < WIDE
  const header = ['ID', 'STATUS', 'PROJECT', 'PATH', ...(isNarrow ? [] : ['PAGES', 'SIZE'])]
  const rows = documents.map((document) => {
    const { id, status, project, path, page_count: pages, size_bytes: size } = document
    const facts = [pages === null ? '-' : String(pages), context.terminal ? formatBytes(size) : String(size)]
    return { cells: [id, status, project.name, path, ...(isNarrow ? [] : facts)], reasons: problemsOf(document) }
  })
  return formatReasons(header, rows, context.table)
}

/** Why it failed, else what a search may miss of it. */
function problemsOf({ error, warnings }: Document): string[] {
  return error === null ? warnings.map(({ message }) => message) : [error.message]
}
