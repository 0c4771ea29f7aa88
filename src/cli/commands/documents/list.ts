import type { Document } from '../../../contract/documents.ts'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit.ts'
import { formatBytes } from '../../view/style.ts'
import { formatTable } from '../../view/table.ts'
import { collectPages } from '../pages.ts'

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
  else
    context.print(
      formatTable(['ID', 'STATUS', 'PROJECT', 'PATH', 'PAGES', 'SIZE', 'PROBLEM'], documents.map(rowOf(context)), context.table),
    )
  return documents.length === 0 ? EXIT.nothing : EXIT.done
}

function rowOf(context: Context) {
  return (document: Document): string[] => [
    document.id,
    document.status,
    document.project.name,
    document.path,
    document.page_count === null ? '-' : String(document.page_count),
    context.terminal ? formatBytes(document.size_bytes) : String(document.size_bytes),
    problemOf(document),
  ]
}

/** Why it failed, else what a search may miss of it. */
function problemOf({ error, warnings }: Document): string {
  return error?.message ?? warnings.map(({ message }) => message).join(' ')
}
