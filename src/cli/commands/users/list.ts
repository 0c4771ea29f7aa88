import type { Context } from '../../context.ts'
import { EXIT } from '../../exit.ts'
import { formatTable } from '../../view/table.ts'
import { administer, type AdministrationOptions } from '../administer.ts'
import { collectPages } from '../pages.ts'
import { statusOf } from './show.ts'

export async function run(
  context: Context,
  _args: string[],
  options: AdministrationOptions & { limit?: number },
): Promise<number> {
  const found = await administer(context, options, ({ users }) =>
    collectPages(options.limit, async (page) => {
      const answer = await users.list(page)
      return { items: answer.users, next: answer.next_cursor }
    }),
  )
  if (context.json) context.printJson({ users: found })
  else {
    const rows = found.map((user) => [
      user.id,
      user.email ?? '-',
      user.name,
      user.role,
      statusOf(user),
      user.created_at,
      user.last_login_at ?? '-',
    ])
    if (rows.length > 0)
      context.print(formatTable(['ID', 'EMAIL', 'NAME', 'ROLE', 'STATUS', 'CREATED', 'LAST LOGIN'], rows, context.table))
    else context.notice('No users yet.')
  }
  return found.length === 0 ? EXIT.nothing : EXIT.done
}
