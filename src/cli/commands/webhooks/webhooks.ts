import type { Client } from '../../../client/client.ts'
import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts'
import { WEBHOOK_EVENTS, type WebhookStop } from '../../../core/webhooks.ts'
import type { Context } from '../../context.ts'
import { argument, choice, repeatable, text } from '../../options.ts'
import { formatFields } from '../../view/table.ts'
import { shownMoment } from '../../view/time.ts'
import { endsWith, onlyMatch } from '../find.ts'

export { projectOf, projectOption } from '../synonyms/rules.ts'

export const webhookArgument = argument('<webhook>', 'ID, or the whole address')
export const eventOption = repeatable(choice('--event <event>', 'Event to send, repeatable (default: all)', WEBHOOK_EVENTS))
export const descriptionOption = text('--description <text>', 'What the webhook is for')

const STOPS: Readonly<Record<WebhookStop, string>> = {
  manager: 'off',
  failing: 'off: every delivery failed for three days',
  gone: 'off: the receiver answered 410',
  backlog: 'off: too many messages were waiting',
}

/** Returns the state of a webhook in a few words. */
export function stateOf({ disabled_reason: reason, failing_since: failing }: Webhook): string {
  if (reason !== null) return STOPS[reason] ?? 'off'
  return failing === null ? 'on' : 'failing'
}

/** Finds a webhook of a project by its ID, the end of its ID, or its address. */
export async function findWebhook(client: Client, project: string, given: string): Promise<Webhook> {
  const { webhooks } = await client.webhooks.list(project)
  const exact = webhooks.filter(({ id, url }) => id === given || url === given)
  return onlyMatch(exact.length > 0 ? exact : webhooks.filter(({ id }) => endsWith(id, given)), {
    given,
    nouns: `webhooks of project ${project}`,
    missing: { code: 'webhook_not_found', message: `Project ${project} has no webhook ${JSON.stringify(given)}.` },
    describe: ({ id, url }) => `${id} (${url})`,
  })
}

/** Prints a webhook, with its secret if there is a new one. */
export function printWebhook(context: Context, webhook: Webhook & { secret?: string }): void {
  if (context.json) return context.printJson(webhook)
  context.print(
    formatFields(
      [
        ['id', webhook.id],
        ['url', webhook.url],
        ['secret', webhook.secret],
        ['events', webhook.events.join(' ')],
        ['description', webhook.description === '' ? null : webhook.description],
        ['state', stateOf(webhook)],
        ['failing since', shownMoment(webhook.failing_since, context.terminal)],
        ['waiting', webhook.waiting === 0 ? null : String(webhook.waiting)],
        ['created', shownMoment(webhook.created_at, context.terminal)],
      ],
      context.table,
    ),
  )
  if (webhook.secret !== undefined) context.notice('The secret is shown only once.')
}

/** Returns the result of the last attempt of a delivery. */
export function resultOf({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1)
  if (last === undefined) return '-'
  if (last.error === null) return `status ${last.status}`
  return last.status === null ? last.error.message : `status ${last.status}`
}
