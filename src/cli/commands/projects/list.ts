import type { Client } from '../../../client/client.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { PROJECT_ROLES } from '../../../core/model.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { choice, flag, integer, option } from '../../options.ts'
import { formatTable } from '../../view/table.ts'
import { collectPages } from '../pages.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List projects',
  options: {
    limit: option('-n, --limit <number>', 'Maximum number of projects (default all)', integer(1)),
    role: choice('--role <role>', 'Only projects in which you have this role', PROJECT_ROLES),
    unmanaged: flag('--unmanaged', 'Only projects without a manager, for the owner of the instance'),
  },
  examples: ['docsearch projects list --json'],
  async run(context, _args, { limit, role, unmanaged }) {
    const client = await context.client()
    if (unmanaged) return listUnmanaged(context, client, limit)
    const projects = await collectPages(limit, async (page) => {
      const answer = await client.projects.list({ role, ...page })
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
        // Instances of earlier versions have no roles.
        project.role ?? '-',
      ])
      await context.printLong(formatTable(['ID', 'NAME', 'DOCUMENTS', 'PENDING', 'FAILED', 'SIZE', 'ROLE'], rows, context.table))
    }
    return projects.length === 0 ? EXIT.nothing : EXIT.done
  },
})

/** Nothing but the names of these projects is known to the owner of the instance. */
async function listUnmanaged(context: Context, client: Client, limit: number | undefined): Promise<number> {
  const projects = await collectPages(limit, async (page) => {
    const answer = await client.projects.listUnmanaged(page)
    return { items: answer.projects, next: answer.next_cursor }
  })
  if (context.json) context.printJson({ projects })
  else if (projects.length === 0) context.notice('Every project has a manager.')
  else {
    const rows = projects.map(({ id, name }) => [id, name])
    await context.printLong(formatTable(['ID', 'NAME'], rows, context.table))
  }
  return projects.length === 0 ? EXIT.nothing : EXIT.done
}
