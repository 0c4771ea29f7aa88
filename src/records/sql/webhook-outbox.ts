import { sql, type Kysely } from 'kysely'
import { WEBHOOK_TEST, type WebhookRecord } from '../../core/webhooks.ts'
import { MAX_ATTEMPTS_LOGGED, MAX_FAILING_MS, MAX_LOGGED, type AttemptOutcome, type WebhookOutbox } from '../webhooks.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { Tables, WebhookDeliveryRow, WebhookRow } from './tables.ts'
import { changeWaiting, disable, attemptsColumn, readAttempts, readSecrets, toWebhook } from './webhook-messages.ts'

/** The log of a webhook is shortened by at most this many deliveries at a time. */
const TRIMMED_AT_ONCE = 100

export function createWebhookOutbox(store: Store): WebhookOutbox {
  const { db, now } = store
  return {
    async due() {
      const rows = await inUse(db)
        .select(['webhooks.id', 'webhooks.project_id', 'webhooks.failing_since'])
        .where((e) =>
          e.exists(
            e
              .selectFrom('webhook_deliveries')
              .select('webhook_deliveries.id')
              .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.id')
              .where('webhook_deliveries.due_at', '<=', now()),
          ),
        )
        .orderBy('webhooks.id')
        .execute()
      return rows.map((row) => ({ id: row.id, projectId: row.project_id, isFailing: row.failing_since !== null }))
    },
    async next(webhookId, except) {
      const row = await inUse(db)
        .innerJoin('webhook_deliveries as d', 'd.webhook_id', 'webhooks.id')
        .select(['d.id', 'd.type', 'd.body', 'd.failures', 'webhooks.url', 'webhooks.secrets'])
        .where('webhooks.id', '=', webhookId)
        .where('d.due_at', '<=', now())
        .$if(except.length > 0, (query) => query.where('d.id', 'not in', except))
        .orderBy('d.due_at')
        .orderBy('d.id')
        .limit(1)
        .executeTakeFirst()
      if (row === undefined) return null
      const { secrets, ...rest } = row
      return { ...rest, webhookId, secrets: readSecrets({ secrets }) }
    },
    async nextDueAt() {
      const rows = await inUse(db)
        .select((e) =>
          e
            .selectFrom('webhook_deliveries')
            .select((d) => d.fn.min('due_at').as('due_at'))
            .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.id')
            .where('webhook_deliveries.due_at', '>', now())
            .as('due_at'),
        )
        .execute()
      const times = rows.flatMap(({ due_at: at }) => (at === null ? [] : [at]))
      return times.length === 0 ? null : new Date(Math.min(...times))
    },
    finish: (deliveryId, outcome) => store.writeStep((tx) => finish(tx, store.clock.now(), deliveryId, outcome)),
    sweep: (before, limit) =>
      store.write(async (tx) => {
        const old = tx.sql.selectFrom('webhook_deliveries').select('id').where('created_at', '<', before.getTime()).limit(limit)
        const gone = await tx.sql
          .deleteFrom('webhook_deliveries')
          .where('id', 'in', old)
          .returning(['webhook_id', 'state'])
          .execute()
        const waited = gone.filter(({ state }) => state === 'waiting')
        for (const [id, rows] of Map.groupBy(waited, (row) => row.webhook_id)) await changeWaiting(tx.sql, id, -rows.length)
        return gone.length
      }),
  }
}

/** Selects the webhooks that are on and have messages. The condition is that of the index. */
function inUse(db: Kysely<Tables>) {
  return db.selectFrom('webhooks').where(sql<boolean>`webhooks.waiting > 0 and webhooks.disabled_at is null`)
}

async function finish(tx: WriteTransaction, at: Date, id: string, outcome: AttemptOutcome): Promise<WebhookRecord | null> {
  const deliveries = tx.sql.selectFrom('webhook_deliveries').selectAll()
  const delivery = await deliveries.where('id', '=', id).executeTakeFirst()
  if (delivery === undefined) return null
  const set = (columns: Partial<WebhookDeliveryRow>) =>
    tx.sql.updateTable('webhook_deliveries').set(columns).where('id', '=', id).execute()
  // Another process finished this delivery while this process was frozen. A late failure changes only the log.
  if (delivery.state !== 'waiting' && outcome.state !== 'delivered') {
    await set({ attempts: withAttempt(delivery, outcome) })
    return null
  }
  await set(afterAttempt(delivery, at, outcome))
  const isFinished = outcome.state !== 'waiting'
  if (isFinished && delivery.state === 'waiting') await changeWaiting(tx.sql, delivery.webhook_id, -1)
  if (isFinished) await trimLog(tx, delivery.webhook_id)
  return judge(tx, at, delivery, outcome)
}

function withAttempt(delivery: WebhookDeliveryRow, { attempt }: AttemptOutcome): string {
  return attemptsColumn([...readAttempts(delivery), attempt].slice(-MAX_ATTEMPTS_LOGGED))
}

function afterAttempt(delivery: WebhookDeliveryRow, at: Date, outcome: AttemptOutcome) {
  const { attempt, state, nextAttemptAt } = outcome
  return {
    state,
    attempts: withAttempt(delivery, outcome),
    failures: delivery.failures + (attempt.error === null ? 0 : 1),
    due_at: nextAttemptAt?.getTime() ?? null,
    finished_at: state === 'waiting' ? null : at.getTime(),
  }
}

/** Notes whether the webhook fails, and turns it off when it should receive no more. Returns it in that case. */
async function judge(
  tx: WriteTransaction,
  at: Date,
  { webhook_id: id, type }: WebhookDeliveryRow,
  { attempt, isGone }: AttemptOutcome,
): Promise<WebhookRecord | null> {
  const read = () => tx.sql.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const webhook = await read()
  const failingSince = failingAfter(webhook, type, attempt)
  if (failingSince !== webhook.failing_since)
    await tx.sql.updateTable('webhooks').set({ failing_since: failingSince }).where('id', '=', id).execute()
  const isFailing = failingSince !== null && attempt.error !== null && at.getTime() - failingSince >= MAX_FAILING_MS
  if (webhook.disabled_at !== null || !(isGone || isFailing)) return null
  await disable({ tx: tx.sql, at, record: tx.record }, webhook, isGone ? 'gone' : 'failing')
  return toWebhook(await read())
}

/** A test that fails says nothing about the messages before it. */
function failingAfter(
  { failing_since: since }: WebhookRow,
  type: WebhookDeliveryRow['type'],
  { error, at }: AttemptOutcome['attempt'],
): number | null {
  if (error === null) return null
  return type === WEBHOOK_TEST ? since : (since ?? at.getTime())
}

async function trimLog({ sql: tx }: WriteTransaction, webhookId: string): Promise<void> {
  const surplus = tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where('finished_at', 'is not', null)
    .orderBy('finished_at', 'desc')
    .orderBy('id', 'desc')
    .offset(MAX_LOGGED)
    .limit(TRIMMED_AT_ONCE)
  await tx.deleteFrom('webhook_deliveries').where('id', 'in', surplus).execute()
}
