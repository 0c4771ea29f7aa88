import type { Member } from '../../../../contract/members.ts'
import { EVERYONE } from '../../../../core/model.ts'
import { defineCommand } from '../../../define.ts'
import { argument } from '../../../options.ts'
import { formatTable } from '../../../view/table.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the members of a project',
  arguments: { project: argument('<project>', 'ID or name') },
  examples: ['docsearch projects members list contracts'],
  async run(context, { project }) {
    const client = await context.client()
    const answer = await client.projects.members.list(project)
    if (context.json) context.printJson(answer)
    else context.print(formatTable(['ID', 'EMAIL', 'NAME', 'ROLE'], answer.members.map(rowOf), context.table))
  },
})

function rowOf({ user, role }: Member): string[] {
  return user === EVERYONE ? [EVERYONE, '-', 'all users of the instance', role] : [user.id, user.email ?? '-', user.name, role]
}
