import type { Client } from '../../../client/client.ts'
import type { WebhookDelivery } from '../../../contract/webhooks.ts'
import { DocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { text } from '../../options.ts'
import { findWebhook, projectOf, projectOption, resultOf, webhookArgument } from './webhooks.ts'

/** An attempt takes at most 10 seconds, but other messages may be sent first. */
const MAX_WAIT_MS = 30_000
const POLL_MS = 250

export default defineCommand({
  name: 'test',
  summary: 'Send a test message, or send a message again',
  description: 'Send a test message, or send a message from the list of deliveries again, and print what the receiver answered.',
  arguments: { webhook: webhookArgument },
  options: {
    project: projectOption,
    delivery: text('--delivery <id>', 'Full ID of a delivery, to send its message again'),
  },
  examples: ['docsearch webhooks test whk_01h… --project contracts', 'docsearch webhooks test whk_01h… --delivery msg_01h…'],
  async run(context, { webhook }, { project: named, delivery: again }) {
    const client = await context.client()
    const project = await projectOf(context, named)
    const { id, url } = await findWebhook(client, project, webhook)
    const begun =
      again === undefined ? await client.webhooks.test(project, id) : await client.webhooks.redeliver(project, id, again)
    const earlier = begun.attempts.at(-1)?.time
    const delivery = await attempted(context, begun, earlier, () => client.webhooks.delivery(project, id, begun.id))
    if (context.json) context.printJson(delivery)
    const hasFailed = delivery.attempts.at(-1)?.error !== null
    if (!context.json) context.printLine(`${hasFailed ? 'Could not deliver' : 'Delivered'} to ${url}: ${resultOf(delivery)}`)
    return hasFailed ? EXIT.partial : EXIT.done
  },
})

type Delivery = Awaited<ReturnType<Client['webhooks']['delivery']>>

/** Waits for the next attempt. */
async function attempted(
  context: Context,
  begun: WebhookDelivery,
  earlier: string | undefined,
  look: () => Promise<Delivery>,
): Promise<WebhookDelivery> {
  let delivery = begun
  for (let waited = 0; waited < MAX_WAIT_MS; waited += POLL_MS) {
    if (delivery.attempts.length > 0 && delivery.attempts.at(-1)?.time !== earlier) return delivery
    await context.io.wait(POLL_MS, context.io.signal)
    delivery = await look()
  }
  throw new DocsearchError(
    'timeout',
    `docsearch has not sent ${begun.id} yet. To see the result later, run \`docsearch webhooks deliveries\`.`,
  )
}
