import type { Kysely } from 'kysely'
import { testMessage } from '../../contract/present.ts'
import { WEBHOOK_TEST, type DeliveryRecord } from '../../core/webhooks.ts'
import { tooManyWebhooks, webhookDisabled } from '../errors.ts'
import { decodeCursor, resultPage } from '../result-page.ts'
import type { NewWebhook, WebhookChange, Webhooks } from '../webhooks.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { Tables, WebhookDeliveryRow, WebhookRow } from './tables.ts'
import {
  changeWaiting,
  factsOf,
  newDelivery,
  LOGGED_COLUMNS,
  readSecrets,
  secretsColumn,
  toDelivery,
  toWebhook,
} from './webhook-messages.ts'
import { createWebhookOutbox } from './webhook-outbox.ts'

export function createWebhooks(store: Store): Webhooks {
  const { db, now, write } = store
  return {
    create: (webhook) => write((tx) => create(tx, now(), webhook)),
    async list(projectId) {
      const rows = await db.selectFrom('webhooks').selectAll().where('project_id', '=', projectId).orderBy('id').execute()
      return rows.map(toWebhook)
    },
    async get(projectId, id) {
      const row = await find(db, projectId, id)
      return row === undefined ? null : toWebhook(row)
    },
    update: (projectId, id, change) =>
      write(async (tx) => {
        const row = await find(tx.sql, projectId, id)
        return row === undefined ? null : update(tx, now(), row, change)
      }),
    rotate: (projectId, id, { sealed, formerUntil }) =>
      write(async (tx) => {
        const row = await find(tx.sql, projectId, id)
        if (row === undefined) return null
        const former = readSecrets(row).slice(0, 1)
        const secrets = [{ sealed, expiresAt: null }, ...former.map((secret) => ({ ...secret, expiresAt: formerUntil }))]
        await tx.record({ action: 'webhook.rotate', projectId, details: factsOf(id, row.url) })
        return change(tx, id, { secrets: secretsColumn(secrets), updated_at: now() })
      }),
    delete: (projectId, id) =>
      write(async (tx) => {
        const row = await find(tx.sql, projectId, id)
        if (row === undefined) return false
        await tx.record({ action: 'webhook.delete', projectId, details: factsOf(id, row.url) })
        await tx.sql.deleteFrom('webhooks').where('id', '=', id).execute()
        return true
      }),
    async deliveries(webhookId, { limit, cursor, state }) {
      let query = db.selectFrom('webhook_deliveries').select(LOGGED_COLUMNS).where('webhook_id', '=', webhookId)
      if (state !== undefined) query = query.where('state', '=', state)
      if (cursor !== undefined) query = query.where('id', '<', decodeCursor(cursor, 'string').id)
      const rows = await query
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return resultPage(rows, limit, ({ id }) => ({ value: id, id }), toDelivery)
    },
    async delivery(webhookId, id) {
      const row = await findDelivery(db, webhookId, id)
      return row === undefined ? null : toDelivery(row)
    },
    addTest: (webhookId) =>
      write(async (tx) => {
        if (!(await requireEnabled(tx, webhookId))) return null
        const at = store.clock.now()
        const row: WebhookDeliveryRow = { ...newDelivery(webhookId, WEBHOOK_TEST, at), body: testMessage(at, webhookId) }
        await tx.sql.insertInto('webhook_deliveries').values(row).execute()
        await changeWaiting(tx.sql, webhookId, 1)
        return toDelivery(row)
      }),
    redeliver: (webhookId, id) =>
      write(async (tx) => {
        if (!(await requireEnabled(tx, webhookId))) return null
        return redeliver(tx, now(), webhookId, id)
      }),
    outbox: createWebhookOutbox(store),
  }
}

function find(db: Kysely<Tables>, projectId: string, id: string): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where('id', '=', id).where('project_id', '=', projectId).executeTakeFirst()
}

function findDelivery(db: Kysely<Tables>, webhookId: string, id: string) {
  const query = db.selectFrom('webhook_deliveries').select(LOGGED_COLUMNS)
  return query.where('id', '=', id).where('webhook_id', '=', webhookId).executeTakeFirst()
}

async function create(tx: WriteTransaction, now: number, webhook: NewWebhook) {
  const { id, projectId, url, description, events, sealedSecret, maxWebhooks } = webhook
  const project = await tx.sql.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()
  if (project === undefined) return null
  const others = await tx.sql.selectFrom('webhooks').select('id').where('project_id', '=', projectId).execute()
  if (others.length >= maxWebhooks) throw tooManyWebhooks(maxWebhooks)
  const row: WebhookRow = {
    id,
    project_id: projectId,
    url,
    description,
    events: JSON.stringify(events),
    secrets: secretsColumn([{ sealed: sealedSecret, expiresAt: null }]),
    created_at: now,
    updated_at: now,
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
    waiting: 0,
  }
  await tx.sql.insertInto('webhooks').values(row).execute()
  await tx.record({ action: 'webhook.create', projectId, details: { ...factsOf(id, url), events } })
  return toWebhook(row)
}

async function update(tx: WriteTransaction, now: number, row: WebhookRow, { enabled, ...given }: WebhookChange) {
  const { url = row.url, description = row.description } = given
  const columns = { url, description, events: given.events === undefined ? row.events : JSON.stringify(given.events) }
  const changed = (['url', 'description', 'events'] as const).filter((column) => columns[column] !== row[column])
  const isSwitched = enabled !== undefined && enabled !== (row.disabled_at === null)
  if (changed.length === 0 && !isSwitched) return toWebhook(row)
  const power = enabled
    ? { disabled_at: null, disabled_reason: null, failing_since: null }
    : { disabled_at: now, disabled_reason: 'manager' as const }
  await tx.record({
    action: 'webhook.update',
    projectId: row.project_id,
    details: { ...factsOf(row.id, url), ...(changed.length > 0 && { changed }), ...(isSwitched && { enabled }) },
  })
  return change(tx, row.id, { ...columns, ...(isSwitched && power), updated_at: now })
}

async function change({ sql }: WriteTransaction, id: string, columns: Partial<WebhookRow>) {
  const query = sql.updateTable('webhooks').set(columns).where('id', '=', id).returningAll()
  return toWebhook(await query.executeTakeFirstOrThrow())
}

/** Returns false when there is no such webhook. Throws `webhook_disabled`. */
async function requireEnabled({ sql }: WriteTransaction, id: string): Promise<boolean> {
  const row = await sql.selectFrom('webhooks').select('disabled_at').where('id', '=', id).executeTakeFirst()
  if (row !== undefined && row.disabled_at !== null) throw webhookDisabled()
  return row !== undefined
}

async function redeliver(tx: WriteTransaction, now: number, webhookId: string, id: string): Promise<DeliveryRecord | null> {
  const delivery = await findDelivery(tx.sql, webhookId, id)
  if (delivery === undefined) return null
  const due = { state: 'waiting' as const, due_at: now, failures: 0, finished_at: null }
  await tx.sql.updateTable('webhook_deliveries').set(due).where('id', '=', id).execute()
  if (delivery.state !== 'waiting') await changeWaiting(tx.sql, webhookId, 1)
  return toDelivery({ ...delivery, ...due })
}
