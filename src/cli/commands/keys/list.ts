import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { formatTable } from '../../view/table.ts'
import { collectPages } from '../pages.ts'

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
        key.last_used_at ?? '-',
        key.expires_at ?? '-',
      ])
      context.print(formatTable(['ID', 'NAME', 'KEY', 'SCOPES', 'LAST USED', 'EXPIRES'], rows, context.table))
    }
    return keys.length === 0 ? EXIT.nothing : EXIT.done
  },
})
