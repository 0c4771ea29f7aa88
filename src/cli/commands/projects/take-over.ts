import type { Client } from '../../../client/client.ts'
import { isProjectId } from '../../../core/ids.ts'
import { defineCommand } from '../../define.ts'
import { argument, text } from '../../options.ts'
import { matching, onlyMatch } from '../find.ts'
import { collectPages } from '../pages.ts'

export default defineCommand({
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
