import { DELIVERY_STATES } from '../../../core/webhooks.ts'
import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { choice, integer, option } from '../../options.ts'
import { formatTable } from '../../view/table.ts'
import { shownTime } from '../../view/time.ts'
import { collectPages } from '../pages.ts'
import { findWebhook, projectOf, projectOption, resultOf, webhookArgument } from './webhooks.ts'

const USUAL_LIMIT = 20

export default defineCommand({
  name: 'deliveries',
  summary: 'List the messages to a webhook and their results',
  description: 'List the messages to a webhook and their results, newest first. docsearch keeps them for 30 days.',
  arguments: { webhook: webhookArgument },
  options: {
    project: projectOption,
    state: choice('--state <state>', 'Only deliveries in this state', DELIVERY_STATES),
    limit: option('-n, --limit <number>', `Maximum number of deliveries (default ${USUAL_LIMIT})`, integer(1, 10_000)),
  },
  examples: ['docsearch webhooks deliveries whk_01h…', 'docsearch webhooks deliveries whk_01h… --state failed'],
  async run(context, { webhook }, { project: named, state, limit = USUAL_LIMIT }) {
    const client = await context.client()
    const project = await projectOf(context, named)
    const { id } = await findWebhook(client, project, webhook)
    const deliveries = await collectPages(limit, async (page) => {
      const answer = await client.webhooks.deliveries(project, id, { ...page, ...(state !== undefined && { state }) })
      return { items: answer.deliveries, next: answer.next_cursor }
    })
    if (context.json) context.printJson({ deliveries })
    else if (deliveries.length === 0) context.notice('No deliveries.')
    else {
      const rows = deliveries.map((delivery) => [
        delivery.id,
        shownTime(delivery.created_at, context.terminal),
        delivery.type,
        delivery.document?.name ?? '-',
        delivery.state,
        String(delivery.attempts.length),
        resultOf(delivery),
        shownTime(delivery.next_attempt_at, context.terminal),
      ])
      const header = ['ID', 'TIME', 'EVENT', 'DOCUMENT', 'STATE', 'ATTEMPTS', 'RESULT', 'NEXT']
      await context.printLong(formatTable(header, rows, context.table))
    }
    return deliveries.length === 0 ? EXIT.nothing : EXIT.done
  },
})
