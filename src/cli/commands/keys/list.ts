import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { namesOfLimit } from '../../view/limit.ts'
import { formatTable } from '../../view/table.ts'
import { collectPages } from '../pages.ts'
import { shownTime } from '../../view/time.ts'

export default defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List your API keys',
  examples: ['docsearch keys list'],
  async run(context) {
    const client = await context.client()
    const keys = await collectPages(undefined, async (page) => {
      const answer = await client.keys.list(page)
      return { items: answer.keys, next: answer.next_cursor }
    })
    if (context.json) context.printJson({ keys })
    else if (keys.length === 0) context.notice('No API keys.')
    else {
      const rows = keys.map((key) => [
        key.id,
        key.name,
        `…${key.last_four}`,
        key.scopes.join(','),
        namesOfLimit(key.projects) ?? 'all',
        shownTime(key.last_used_at, context.terminal),
        shownTime(key.expires_at, context.terminal),
      ])
      await context.printLong(
        formatTable(['ID', 'NAME', 'KEY', 'SCOPES', 'PROJECTS', 'LAST USED', 'EXPIRES'], rows, context.table),
      )
    }
    return keys.length === 0 ? EXIT.nothing : EXIT.done
  },
})
