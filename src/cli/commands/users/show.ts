import type { User, UserCreated } from '../../../contract/users.ts'
import type { Context } from '../../context.ts'
import { formatFields } from '../../view/table.ts'
import { administer, type AdministrationOptions } from '../administer.ts'

export async function run(context: Context, [user = '']: string[], options: AdministrationOptions): Promise<void> {
  showUser(context, await administer(context, options, ({ users }) => users.get(user)))
}

/** With the one-time link, where there is one. */
export function showUser(context: Context, user: UserCreated): void {
  if (context.json) return context.printJson(user)
  context.print(
    formatFields(
      [
        ['id', user.id],
        ['email', user.email],
        ['name', user.name],
        ['role', user.role],
        ['status', statusOf(user)],
        ['created', user.created_at],
        ['last_login', user.last_login_at],
        ['invitation_url', user.invitation_url],
        ['invitation_expires_at', user.invitation_expires_at],
      ],
      context.table,
    ),
  )
  if (user.invitation_url !== undefined)
    context.notice(
      user.role === 'owner' && !user.has_password
        ? 'The link is good once; until it was used, `docsearch serve` prints a new one whenever it starts, and this one ends.'
        : `Hand the link to ${user.email ?? 'the person'}: it is good once, and shown this once.`,
    )
}

export function statusOf(user: User): string {
  if (user.disabled) return 'disabled'
  return user.has_password ? 'active' : 'no password yet'
}
