import type { Client } from '../../../client/client.ts'
import { defineCommand } from '../../define.ts'
import { argument, yes } from '../../options.ts'
import { confirm } from '../confirm.ts'
import { matching, onlyMatch } from '../find.ts'
import { collectPages } from '../pages.ts'

const ID = /^key_[0-9a-z]{26}$/

export default defineCommand({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete an API key',
  description: 'Delete an API key. Programs that use it lose access.',
  arguments: { key: argument('<key>', 'ID of the key, or a name that only one key has') },
  options: { yes },
  examples: ['docsearch keys delete backup', 'docsearch keys delete key_01h… --yes'],
  async run(context, { key: given }, options) {
    const client = await context.client()
    const { id, name } = await findKey(client, given)
    await confirm(context, options.yes, `Delete API key ${name ?? id}? Programs that use it lose access.`)
    await client.keys.delete(id)
    if (context.json) context.printJson({ id, deleted: true })
    else context.printLine(`Deleted key ${name ?? id}`)
  },
})

/** Throws DocsearchError `key_not_found`, or `ambiguous_name` when several keys have the name. */
async function findKey(client: Client, given: string): Promise<{ id: string; name: string | null }> {
  if (ID.test(given)) return { id: given, name: null }
  const keys = await collectPages(undefined, async (page) => {
    const answer = await client.keys.list(page)
    return { items: answer.keys, next: answer.next_cursor }
  })
  const missing = { code: 'key_not_found', message: `You have no API key ${JSON.stringify(given)}.` } as const
  return onlyMatch(matching(keys, given), { given, nouns: 'keys', missing })
}
