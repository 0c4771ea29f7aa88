import type { Project } from '../../../contract/projects.ts'
import type { Context } from '../../context.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'
import { formatFields } from '../../view/table.ts'
import { shownMoment } from '../../view/time.ts'

export default defineCommand({
  name: 'show',
  summary: 'Show a project',
  arguments: { project: argument('<project>', 'ID or name') },
  examples: ['docsearch projects show contracts'],
  async run(context, { project }) {
    const client = await context.client()
    printProject(context, await client.projects.get(project))
  },
})

export function printProject(context: Context, project: Project): void {
  if (context.json) return context.printJson(project)
  const { statuses } = project
  context.print(
    formatFields(
      [
        ['id', project.id],
        ['name', project.name],
        ['description', project.description],
        // Instances of earlier versions have no roles.
        ['your role', project.role ?? '-'],
        ['documents', String(project.document_count)],
        [
          'status',
          `${statuses.ready} ready, ${statuses.queued} queued, ${statuses.processing} processing, ${statuses.failed} failed`,
        ],
        ['passages', String(project.chunk_count)],
        ['size', context.terminal ? formatBytes(project.size_bytes) : String(project.size_bytes)],
        ['created', shownMoment(project.created_at, context.terminal)],
        ['updated', shownMoment(project.updated_at, context.terminal)],
      ],
      context.table,
    ),
  )
}
