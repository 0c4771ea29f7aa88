import { DEFAULT_SCOPES, KEY_SCOPES } from '../../../core/model.ts'
import { defineCommand } from '../../define.ts'
import { namesOfLimit } from '../../view/limit.ts'
import { argument, choice, integer, option, repeatable, text } from '../../options.ts'

const MAX_DAYS = 3650

export default defineCommand({
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
