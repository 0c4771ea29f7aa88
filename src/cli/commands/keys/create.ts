import { DEFAULT_SCOPES, SCOPES } from '../../../core/model.ts'
import { defineCommand } from '../../define.ts'
import { argument, choice, integer, option, repeatable } from '../../options.ts'

const MAX_DAYS = 3650

export default defineCommand({
  name: 'create',
  summary: 'Create an API key',
  description: 'Create an API key and print it. The key is shown only once.',
  arguments: { name: argument('<name>', 'What the key is for') },
  options: {
    scopes: repeatable(
      choice('--scope <scope>', `Permission of the key, repeatable (default ${DEFAULT_SCOPES.join(' and ')})`, SCOPES),
    ),
    expiresInDays: option(
      '--expires-in-days <number>',
      `Days until the key expires, 1 to ${MAX_DAYS} (default never)`,
      integer(1, MAX_DAYS),
    ),
  },
  examples: ['docsearch keys create ci --scope write:documents --expires-in-days 90'],
  async run(context, { name }, { scopes, expiresInDays }) {
    const client = await context.client()
    const created = await client.keys.create({
      name,
      ...(scopes.length > 0 && { scopes }),
      expires_in_days: expiresInDays,
    })
    if (context.json) return context.printJson(created)
    context.printLine(created.key)
    context.notice(`Created ${created.id} (${created.scopes.join(', ')}). The key is shown only once.`)
  },
})
