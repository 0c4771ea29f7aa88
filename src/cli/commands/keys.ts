import type { Client } from '../../client/client.ts'
import { DEFAULT_SCOPES, KEY_SCOPES } from '../../core/model.ts'
import { defineCommand, defineNoun } from '../define.ts'
import { EXIT } from '../exit.ts'
import { argument, choice, integer, option, repeatable, text, yes } from '../options.ts'
import { namesOfLimit } from '../view/limits.ts'
import { formatTable } from '../view/table.ts'
import { shownTime } from '../view/time.ts'
import { confirm } from './confirm.ts'
import { matching, onlyMatch, collectPages } from './find.ts'

const list = defineCommand({
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

const MAX_DAYS = 3650

const create = defineCommand({
  name: 'create',
  summary: 'Create an API key',
  description: 'Create an API key and print it. The key is shown only once.',
  arguments: { name: argument('<name>', 'What the key is for') },
  options: {
    scopes: repeatable(
      choice('--scope <scope>', `Permission of the key, repeatable (default ${DEFAULT_SCOPES.join(' and ')})`, KEY_SCOPES),
    ),
    projects: repeatable(
      text('--project <project>', 'Limit the key to this project, by ID or name, repeatable (default no limit)'),
    ),
    expiresInDays: option(
      '--expires-in-days <number>',
      `Days until the key expires, 1 to ${MAX_DAYS} (default never)`,
      integer(1, MAX_DAYS),
    ),
  },
  examples: [
    'docsearch keys create ci --scope write:documents --expires-in-days 90',
    'docsearch keys create prometheus --scope read:metrics',
    'docsearch keys create chatbot --scope read:documents --project Handbook',
  ],
  async run(context, { name }, { scopes, projects, expiresInDays }) {
    const client = await context.client()
    const created = await client.keys.create({
      name,
      ...(scopes.length > 0 && { scopes }),
      ...(projects.length > 0 && { projects }),
      expires_in_days: expiresInDays,
    })
    if (context.json) return context.printJson(created)
    context.printLine(created.key)
    const limit = namesOfLimit(created.projects)
    context.notice(
      `Created ${created.id} (${created.scopes.join(', ')}${limit === null ? '' : `, limited to ${limit}`}). The key is shown only once.`,
    )
  },
})

const ID = /^key_[0-9a-z]{26}$/

const remove = defineCommand({
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

export default defineNoun({
  name: 'keys',
  summary: 'List, create and delete API keys',
  commands: [list, create, remove],
  standalone: list,
})
