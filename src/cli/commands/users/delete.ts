import type { UserDeletion } from '../../../contract/users.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { argument, yes } from '../../options.ts'
import { count } from '../../view/style.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { confirm } from '../confirm.ts'
import { USER, userNamed } from './find.ts'

export default defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a user',
  description:
    'Delete a user and their private projects, keys and applications. The confirmation lists the private projects. Projects with other members stay.',
  arguments: { user: argument('<user>', USER) },
  options: { ...DATA_OPTIONS, yes },
  examples: ['docsearch users delete ada@example.org --yes'],
  async run(context, args, options) {
    await administer(context, options, async (administration) => {
      const { users } = administration
      const user = await users.get(await userNamed(administration, args.user))
      const who = user.email ?? user.name
      if (!options.yes) showProjects(context, await users.previewDeletion(user.id))
      await confirm(context, options.yes, `Delete user ${who}, these projects, and all keys and applications of the user?`)
      const deleted = await users.delete(user.id)
      if (context.json) context.printJson(deleted)
      else context.printLine(`Deleted user ${who} and ${count(deleted.documents_deleted, 'document')}`)
    })
  },
})

/** The confirmation lists at most this many projects. */
const MAX_LISTED = 100

function showProjects(context: Context, { projects }: UserDeletion): void {
  if (projects.length === 0) return context.notice('The user has no private projects.')
  context.notice('These private projects would be deleted:')
  for (const { name, document_count, trashed_count } of projects.slice(0, MAX_LISTED)) {
    const trash = trashed_count === 0 ? '' : `, and ${trashed_count} in the trash`
    context.notice(`  ${name} (${count(document_count, 'document')}${trash})`)
  }
  if (projects.length > MAX_LISTED) context.notice(`  and ${count(projects.length - MAX_LISTED, 'more project')}`)
}
