import type { Project } from '../../../contract/projects.ts'
import type { Context } from '../../context.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { formatFields } from '../../view/table.ts'

export async function run(context: Context, [project = '']: string[]): Promise<void> {
  showProject(context, await (await context.client()).projects.get(project))
}

export function showProject(context: Context, project: Project): void {
  if (context.json) return context.printJson(project)
  const { statuses } = project
  context.print(
    formatFields(
      [
        ['id', project.id],
        ['name', project.name],
        ['description', project.description],
        ['documents', String(project.document_count)],
        [
          'status',
          `${statuses.ready} ready, ${statuses.queued} queued, ${statuses.processing} processing, ${statuses.failed} failed`,
        ],
        ['passages', String(project.chunk_count)],
        ['size', context.terminal ? formatBytes(project.size_bytes) : String(project.size_bytes)],
        ['created', project.created_at],
        ['updated', project.updated_at],
      ],
      context.table,
    ),
  )
}
