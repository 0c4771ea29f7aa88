import { defineCommand } from '../../define.ts'
import { yes } from '../../options.ts'
import { confirm } from '../confirm.ts'
import { findWebhook, projectOf, projectOption, webhookArgument } from './webhooks.ts'

export default defineCommand({
  name: 'remove',
  aliases: ['rm', 'delete'],
  summary: 'Remove a webhook from a project',
  description: 'Remove a webhook from a project, with its waiting messages and its log of deliveries.',
  arguments: { webhook: webhookArgument },
  options: { project: projectOption, yes },
  examples: ['docsearch webhooks remove whk_01h… --yes'],
  async run(context, { webhook }, options) {
    const client = await context.client()
    const project = await projectOf(context, options.project)
    const { id, url } = await findWebhook(client, project, webhook)
    await confirm(context, options.yes, `Remove the webhook ${url} from project ${project}?`)
    await client.webhooks.delete(project, id)
    if (context.json) context.printJson({ id, deleted: true })
    else context.printLine(`Removed ${id}: ${url}`)
  },
})
