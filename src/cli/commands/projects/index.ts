import type { Client } from '../../../client/client.ts'
import type { Project } from '../../../contract/projects.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { isProjectId } from '../../../core/ids.ts'
import { PROJECT_ROLES } from '../../../core/model.ts'
import type { Context } from '../../context.ts'
import { defineCommand, defineNoun } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { argument, choice, flag, integer, option, text, yes } from '../../options.ts'
import { count } from '../../view/style.ts'
import { formatFields, formatTable } from '../../view/table.ts'
import { shownMoment } from '../../view/time.ts'
import { confirm } from '../confirm.ts'
import { matching, onlyMatch, collectPages } from '../find.ts'
import members from './members.ts'

const list = defineCommand({
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

/** The owner of the instance sees only the names of these projects. */
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

const show = defineCommand({
  name: 'show',
  summary: 'Show a project',
  arguments: { project: argument('<project>', 'ID or name') },
  examples: ['docsearch projects show contracts'],
  async run(context, { project }) {
    const client = await context.client()
    printProject(context, await client.projects.get(project))
  },
})

function printProject(context: Context, project: Project): void {
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

const create = defineCommand({
  name: 'create',
  summary: 'Create a project',
  arguments: { name: argument('<name>', 'Name of the project') },
  options: { description: text('-d, --description <text>', 'What the project is for') },
  examples: ['docsearch projects create contracts --description "Signed contracts"'],
  async run(context, { name }, { description }) {
    const client = await context.client()
    printProject(context, await client.projects.create({ name, description }))
  },
})

const rename = defineCommand({
  name: 'rename',
  summary: 'Rename a project',
  arguments: { project: argument('<project>', 'ID or name'), name: argument('<name>', 'New name') },
  examples: ['docsearch projects rename contracts agreements'],
  async run(context, { project, name }) {
    const client = await context.client()
    printProject(context, await client.projects.update(project, { name }))
  },
})

const remove = defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a project and its documents',
  arguments: { project: argument('<project>', 'ID or name') },
  options: { yes },
  examples: ['docsearch projects delete contracts --yes'],
  async run(context, args, options) {
    const client = await context.client()
    const project = await client.projects.get(args.project)
    const trashed = project.trashed_count ?? 0
    const what = `its ${count(project.document_count, 'document')}${trashed === 0 ? '' : ` and ${count(trashed, 'document')} in the trash`}`
    await confirm(context, options.yes, `Delete project ${project.name} with ${what}? This cannot be undone.`)
    const deleted = await client.projects.delete(project.id)
    if (context.json) context.printJson(deleted)
    else context.printLine(`Deleted project ${project.name} and ${count(deleted.documents_deleted, 'document')}`)
  },
})

const takeOver = defineCommand({
  name: 'take-over',
  summary: 'Take over a project without a manager',
  description:
    'Take over a project without a manager, or make one of its members the manager. Only the owner of the instance can do this. A project has no manager if its only manager was deleted and it has other members. To list such projects, run `docsearch projects list --unmanaged`.',
  arguments: { project: argument('<project>', 'ID of the project, or a name that only one project without a manager has') },
  options: { user: text('--for <user>', 'Member who becomes the manager, by email address or ID (default you)') },
  examples: ['docsearch projects take-over handbook', 'docsearch projects take-over prj_01h… --for ada@example.org'],
  async run(context, { project }, { user }) {
    const client = await context.client()
    const taken = await client.projects.takeOver(await idOf(client, project), user)
    if (context.json) context.printJson(taken)
    else context.printLine(`${taken.manager.email ?? taken.manager.name} now manages project ${taken.id}`)
  },
})

/** Throws DocsearchError `project_not_found`, or `ambiguous_name` when several projects without a manager have the name. */
async function idOf(client: Client, given: string): Promise<string> {
  if (isProjectId(given)) return given
  const projects = await collectPages(undefined, async (page) => {
    const answer = await client.projects.listUnmanaged(page)
    return { items: answer.projects, next: answer.next_cursor }
  })
  const missing = {
    code: 'project_not_found',
    message: `There is no project ${JSON.stringify(given)} without a manager. To list these projects, run \`docsearch projects list --unmanaged\`.`,
  } as const
  return onlyMatch(matching(projects, given), { given, nouns: 'projects', missing }).id
}

export default defineNoun({
  name: 'projects',
  summary: 'List, show, create, rename, share and delete projects',
  commands: [list, show, create, rename, remove, members, takeOver],
  standalone: list,
})
