import type { Context } from '../../context.ts'
import { EXIT } from '../../exit.ts'
import { formatTable } from '../../view/table.ts'
import { collectPages } from '../pages.ts'

export async function run(context: Context): Promise<number> {
  const client = await context.client()
  const keys = await collectPages(undefined, async (page) => {
    const answer = await client.keys.list(page)
    return { items: answer.keys, next: answer.next_cursor }
  })
  if (context.json) context.printJson({ keys })
  else {
    const rows = keys.map((key) => [
      key.id,
      key.name,
      `…${key.last_four}`,
      key.scopes.join(','),
      key.last_used_at ?? '-',
      key.expires_at ?? '-',
    ])
    if (rows.length > 0) context.print(formatTable(['ID', 'NAME', 'KEY', 'SCOPES', 'LAST USED', 'EXPIRES'], rows, context.table))
    else context.notice('No keys yet.')
  }
  return keys.length === 0 ? EXIT.nothing : EXIT.done
}
