import { defineCommand } from '../../define.ts'
import { usage } from '../../exit.ts'
import { flag, text } from '../../options.ts'
import {
  descriptionOption,
  eventOption,
  findWebhook,
  printWebhook,
  projectOf,
  projectOption,
  webhookArgument,
} from './webhooks.ts'

export default defineCommand({
  name: 'edit',
  summary: 'Change a webhook, or turn it on or off',
  arguments: { webhook: webhookArgument },
  options: {
    project: projectOption,
    url: text('--url <url>', 'New address'),
    events: { ...eventOption, description: 'Event to send, repeatable; replaces the present events' },
    description: descriptionOption,
    on: flag('--on', 'Turn it on, and send the messages that were waiting', { conflictsWith: ['off'] }),
    off: flag('--off', 'Turn it off'),
  },
  examples: [
    'docsearch webhooks edit whk_01h… --url https://example.com/new',
    'docsearch webhooks edit whk_01h… --on --project contracts',
  ],
  async run(context, { webhook }, { project: named, url, events, description, on, off }) {
    const change = {
      ...(url !== undefined && { url }),
      ...(events.length > 0 && { events }),
      ...(description !== undefined && { description }),
      ...((on || off) && { enabled: on }),
    }
    if (Object.keys(change).length === 0) throw usage('Nothing to change. Give --url, --event, --description, --on or --off.')
    const client = await context.client()
    const project = await projectOf(context, named)
    const { id } = await findWebhook(client, project, webhook)
    printWebhook(context, await client.webhooks.update(project, id, change))
  },
})
