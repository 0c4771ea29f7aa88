import type { Context } from '../../context.ts'
import { EXIT } from '../../exit.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { formatTable } from '../../view/table.ts'
import { collectPages } from '../pages.ts'

export async function run(context: Context, _args: string[], options: { limit?: number }): Promise<number> {
  const client = await context.client()
  const projects = await collectPages(options.limit, async (page) => {
    const answer = await client.projects.list(page)
    return { items: answer.projects, next: answer.next_cursor }
  })
  if (context.json) context.printJson({ projects })
  else {
    const rows = projects.map((project) => [
      project.id,
      project.name,
      String(project.document_count),
      String(project.statuses.queued + project.statuses.processing),
      String(project.statuses.failed),
      context.terminal ? formatBytes(project.size_bytes) : String(project.size_bytes),
    ])
    if (rows.length > 0) context.print(formatTable(['ID', 'NAME', 'DOCUMENTS', 'PENDING', 'FAILED', 'SIZE'], rows, context.table))
    else context.notice('No projects yet.')
  }
  return projects.length === 0 ? EXIT.nothing : EXIT.done
}
