import { defineCommand } from '../../define.ts'
import { duration, option } from '../../options.ts'
import { findWebhook, printWebhook, projectOf, projectOption, webhookArgument } from './webhooks.ts'

const MAX_GRACE_SECONDS = 7 * 86_400

export default defineCommand({
  name: 'rotate',
  summary: 'Create a new secret for a webhook',
  description:
    'Create a new secret for a webhook and print it. The secret is shown only once. During the time of --grace, docsearch signs messages with both secrets.',
  arguments: { webhook: webhookArgument },
  options: {
    project: projectOption,
    grace: option(
      '--grace <duration>',
      'How long messages are also signed with the old secret: 0, 30m, 12h, 7d (default 1d)',
      duration(MAX_GRACE_SECONDS),
    ),
  },
  examples: ['docsearch webhooks rotate whk_01h… --grace 1h'],
  async run(context, { webhook }, { project: named, grace }) {
    const client = await context.client()
    const project = await projectOf(context, named)
    const { id } = await findWebhook(client, project, webhook)
    const rotated = await client.webhooks.rotate(project, id, grace)
    printWebhook(context, rotated)
    context.notice(`docsearch also signs messages with the old secret until ${rotated.old_secret_expires_at}.`)
  },
})
