import { formatBytes } from '../../../core/format-bytes.ts'
import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { integer, option } from '../../options.ts'
import { formatTable } from '../../view/table.ts'
import { collectPages } from '../pages.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List projects',
  options: { limit: option('-n, --limit <number>', 'Maximum number of projects (default all)', integer(1)) },
  examples: ['docsearch projects list --json'],
  async run(context, _args, { limit }) {
    const client = await context.client()
    const projects = await collectPages(limit, async (page) => {
      const answer = await client.projects.list(page)
      return { items: answer.projects, next: answer.next_cursor }
    })
    if (context.json) context.printJson({ projects })
    else if (projects.length === 0) context.notice('No projects.')
    else {
      const rows = projects.map((project) => [
        project.id,
        project.name,
        String(project.document_count),
        String(project.statuses.queued + project.statuses.processing),
        String(project.statuses.failed),
        context.terminal ? formatBytes(project.size_bytes) : String(project.size_bytes),
      ])
      context.print(formatTable(['ID', 'NAME', 'DOCUMENTS', 'PENDING', 'FAILED', 'SIZE'], rows, context.table))
    }
    return projects.length === 0 ? EXIT.nothing : EXIT.done
  },
})
