import type { Client } from '../../client/client.ts'
import type { Webhook, WebhookDelivery } from '../../contract/webhooks.ts'
import { DocsearchError } from '../../core/errors.ts'
import { DELIVERY_STATES, WEBHOOK_EVENTS, type WebhookStop } from '../../core/webhooks.ts'
import type { Context } from '../context.ts'
import { defineCommand, defineNoun } from '../define.ts'
import { EXIT, usage } from '../exit.ts'
import { argument, choice, duration, flag, integer, option, repeatable, text, yes } from '../options.ts'
import { formatFields, formatTable } from '../view/table.ts'
import { shownMoment, shownTime } from '../view/time.ts'
import { confirm } from './confirm.ts'
import { endsWith, onlyMatch, collectPages, projectOf, projectOption } from './find.ts'

const webhookArgument = argument('<webhook>', 'ID, or the whole address')
const eventOption = repeatable(choice('--event <event>', 'Event to send, repeatable (default: all)', WEBHOOK_EVENTS))
const descriptionOption = text('--description <text>', 'What the webhook is for')

const STOPS: Readonly<Record<WebhookStop, string>> = {
  manager: 'off',
  failing: 'off: every delivery failed for three days',
  gone: 'off: the receiver answered 410',
  backlog: 'off: too many messages were waiting',
}

/** Returns the state of a webhook in a few words. */
function stateOf({ disabled_reason: reason, failing_since: failing }: Webhook): string {
  if (reason !== null) return STOPS[reason] ?? 'off'
  return failing === null ? 'on' : 'failing'
}

/** Finds a webhook of a project by its ID, the end of its ID, or its address. */
async function findWebhook(client: Client, project: string, given: string): Promise<Webhook> {
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
function printWebhook(context: Context, webhook: Webhook & { secret?: string }): void {
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
function resultOf({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1)
  if (last === undefined) return '-'
  if (last.error === null) return `status ${last.status}`
  return last.status === null ? last.error.message : `status ${last.status}`
}

const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the webhooks of a project',
  options: { project: projectOption },
  examples: ['docsearch webhooks list --project contracts'],
  async run(context, _args, options) {
    const client = await context.client()
    const project = await projectOf(context, options.project)
    const { webhooks } = await client.webhooks.list(project)
    if (context.json) context.printJson({ webhooks })
    else if (webhooks.length === 0) context.notice(`Project ${project} has no webhooks.`)
    else {
      const rows = webhooks.map((webhook) => [
        webhook.id,
        webhook.url,
        webhook.events.map((event) => event.replace('document.', '')).join(','),
        stateOf(webhook),
        String(webhook.waiting),
      ])
      context.print(formatTable(['ID', 'URL', 'EVENTS', 'STATE', 'WAITING'], rows, context.table))
    }
    return webhooks.length === 0 ? EXIT.nothing : EXIT.done
  },
})

const add = defineCommand({
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

const edit = defineCommand({
  name: 'edit',
  summary: 'Change a webhook, or turn it on or off',
  arguments: { webhook: webhookArgument },
  options: {
    project: projectOption,
    url: text('--url <url>', 'New address'),
    events: { ...eventOption, description: 'Event to send, repeatable; replaces the current events' },
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

const remove = defineCommand({
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

const MAX_GRACE_SECONDS = 7 * 86_400

const rotate = defineCommand({
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

/** An attempt takes at most 10 seconds, but other messages may be sent first. */
const MAX_WAIT_MS = 30_000
const POLL_MS = 250

const test = defineCommand({
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

const USUAL_LIMIT = 20

const deliveries = defineCommand({
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

export default defineNoun({
  name: 'webhooks',
  summary: 'Send messages about documents to other programs',
  description:
    "List, add, change, test and remove the webhooks of a project. docsearch sends a signed message to a webhook's address when a document is ready, fails or is deleted. Only managers of the project can see and change them.",
  commands: [list, add, edit, rotate, remove, test, deliveries],
  standalone: list,
})
