import { defineCommand } from '../../define.ts'
import { argument, yes } from '../../options.ts'
import { count } from '../../view/style.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { confirm } from '../confirm.ts'

export default defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a user',
  description: 'Delete a user with all documents, keys and applications.',
  arguments: { user: argument('<user>', 'Email address or ID') },
  options: { ...DATA_OPTIONS, yes },
  examples: ['docsearch users delete ada@example.org --yes'],
  async run(context, args, options) {
    await administer(context, options, async ({ users }) => {
      const user = await users.get(args.user)
      const who = user.email ?? user.name
      await confirm(context, options.yes, `Delete user ${who} with all documents, keys and applications?`)
      const deleted = await users.delete(user.id)
      if (context.json) context.printJson(deleted)
      else context.printLine(`Deleted user ${who} and ${count(deleted.documents_deleted, 'document')}`)
    })
  },
})
