import { defineCommand } from '../../define.ts'
import { argument } from '../../options.ts'
import { descriptionOption, eventOption, printWebhook, projectOf, projectOption } from './webhooks.ts'

export default defineCommand({
  name: 'add',
  summary: 'Add a webhook to a project',
  description: 'Add a webhook to a project and print the secret that verifies its messages. The secret is shown only once.',
  arguments: { url: argument('<url>', 'https address that receives the messages') },
  options: { project: projectOption, events: eventOption, description: descriptionOption },
  examples: [
    'docsearch webhooks add https://example.com/docsearch --project contracts',
    'docsearch webhooks add https://example.com/failed --event document.failed',
  ],
  async run(context, { url }, { project, events, description }) {
    const client = await context.client()
    const fields = { url, ...(events.length > 0 && { events }), ...(description !== undefined && { description }) }
    printWebhook(context, await client.webhooks.create(await projectOf(context, project), fields))
  },
})
