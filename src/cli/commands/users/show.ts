import type { User, UserCreated } from '../../../contract/users.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'
import { formatFields } from '../../view/table.ts'
import { usageFields } from '../../view/usage.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { USER, userNamed } from './find.ts'
import { shownMoment } from '../../view/time.ts'

export default defineCommand({
  name: 'show',
  summary: 'Show a user',
  arguments: { user: argument('<user>', USER) },
  options: DATA_OPTIONS,
  examples: ['docsearch users show ada@example.org'],
  async run(context, { user }, options) {
    printUser(
      context,
      await administer(context, options, async (administration) =>
        administration.users.get(await userNamed(administration, user)),
      ),
    )
  },
})

/** Prints a user, with the one-time link if there is one. */
export function printUser(context: Context, user: UserCreated): void {
  if (context.json) return context.printJson(user)
  context.print(
    formatFields(
      [
        ['id', user.id],
        ['email', user.email],
        ['name', user.name],
        ['role', user.role],
        ['status', statusOf(user)],
        ['created', shownMoment(user.created_at, context.terminal)],
        ['last_login', shownMoment(user.last_login_at, context.terminal)],
        ['projects', user.project_count === undefined ? null : String(user.project_count)],
        ...usageFields(context, user),
        ['invitation_url', user.invitation_url],
        ['invitation_expires_at', shownMoment(user.invitation_expires_at, context.terminal)],
      ],
      context.table,
    ),
  )
  if (user.invitation_url !== undefined)
    context.notice(
      user.role === 'owner' && !user.has_password
        ? 'The link works once. It stops working when `docsearch serve` starts again and prints a new one.'
        : `Send the link to ${user.email ?? 'the user'}. It works once and is shown only once.`,
    )
}

export function statusOf(user: User): string {
  if (user.disabled) return 'disabled'
  return user.has_password ? 'active' : 'no password yet'
}
