import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { integer, option } from '../../options.ts'
import { formatTable } from '../../view/table.ts'
import { administer, DATA_OPTIONS } from '../administer.ts'
import { collectPages } from '../pages.ts'
import { statusOf } from './show.ts'
import { shownTime } from '../../view/time.ts'

const HEADER = ['ID', 'EMAIL', 'NAME', 'ROLE', 'STATUS', 'PROJECTS', 'CREATED', 'LAST LOGIN']

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List users',
  options: {
    ...DATA_OPTIONS,
    limit: option('-n, --limit <number>', 'Maximum number of users (default all)', integer(1)),
  },
  examples: ['docsearch users list --json'],
  async run(context, _args, options) {
    const found = await administer(context, options, ({ users }) =>
      collectPages(options.limit, async (page) => {
        const answer = await users.list(page)
        return { items: answer.users, next: answer.next_cursor }
      }),
    )
    if (context.json) context.printJson({ users: found })
    else if (found.length === 0) context.notice('No users.')
    else {
      const rows = found.map((user) => [
        user.id,
        user.email ?? '-',
        user.name,
        user.role,
        statusOf(user),
        user.project_count === undefined ? '-' : String(user.project_count),
        shownTime(user.created_at, context.terminal),
        shownTime(user.last_login_at, context.terminal),
      ])
      await context.printLong(formatTable(HEADER, rows, context.table))
    }
    return found.length === 0 ? EXIT.nothing : EXIT.done
  },
})
