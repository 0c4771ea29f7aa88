import { EVERYONE } from '../../../../core/model.ts'
import { defineCommand } from '../../../define.ts'
import { argument, yes } from '../../../options.ts'
import { confirm } from '../../confirm.ts'
import { personNamed } from './find.ts'

export default defineCommand({
  name: 'remove',
  aliases: ['rm'],
  summary: 'Remove a member, who loses access at once',
  description: 'Remove a member, who loses access at once. Every member may leave a project, except its last manager.',
  arguments: {
    project: argument('<project>', 'ID or name'),
    user: argument('<user>', `Email address or ID, or \`${EVERYONE}\``),
  },
  options: { yes },
  examples: ['docsearch projects members remove contracts ada@example.org'],
  async run(context, { project, user }, options) {
    const client = await context.client()
    const person = await personNamed(client, project, user)
    const question = `Remove ${user} from ${project}? ${user === EVERYONE ? 'All users who are not members themselves lose' : 'They lose'} access at once.`
    await confirm(context, options.yes, question)
    await client.projects.members.remove(project, person)
    if (context.json) context.printJson({ project, user, removed: true })
    else context.printLine(`Removed ${user} from ${project}`)
  },
})
