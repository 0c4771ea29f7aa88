import { describe, expect } from 'vitest'
import type { WebhookMessage } from '../../../src/contract/webhooks.ts'
import type { DeliveryError } from '../../../src/core/webhooks.ts'
import { MAX_FAILING_MS, MAX_LOGGED, type AttemptOutcome, type NewWebhook } from '../../../src/records/webhooks.ts'
import { errorCode } from '../../support/codes.ts'
import type { DocumentsTest } from './fixtures.ts'

const HOUR = 60 * 60 * 1000

export function webhooksConformance(base: DocumentsTest): void {
  let made = 0
  const test = base
    .extend('addWebhook', ({ records, project }) => async (change: Partial<NewWebhook> = {}) => {
      const id = `whk_${(made += 1)}`
      const webhook: NewWebhook = {
        id,
        projectId: project,
        url: 'https://hooks.example.com/secret-path?token=x',
        description: 'a test',
        events: ['document.ready', 'document.failed', 'document.deleted'],
        sealedSecret: 'sealed',
        maxWebhooks: 3,
        ...change,
      }
      return (await records.webhooks.create(webhook))!
    })
    .extend('finish', ({ records, clock }) => (id: string, error: DeliveryError | null, change: Partial<AttemptOutcome> = {}) => {
      const attempt = { at: clock.now(), status: error === null ? 204 : null, error, tookMs: 5 }
      const state = error === null ? ('delivered' as const) : ('failed' as const)
      return records.webhooks.outbox.finish(id, { attempt, state, nextAttemptAt: null, isGone: false, ...change })
    })
    .extend('logOf', ({ records }) => async (webhookId: string) => {
      return (await records.webhooks.deliveries(webhookId, { limit: 100 })).items
    })

  describe('webhooks', () => {
    test('a change of a document writes a message for each webhook that wants it, once', async ({
      records,
      clock,
      project,
      add,
      makeReady,
      addWebhook,
    }) => {
      const all = await addWebhook()
      const deletions = await addWebhook({ events: ['document.deleted'] })
      const { id } = await add()
      expect(await records.webhooks.outbox.due()).toEqual([])
      await makeReady()
      expect(await records.webhooks.outbox.due()).toEqual([{ id: all.id, projectId: project, isFailing: false }])
      const ready = (await records.webhooks.outbox.next(all.id, []))!
      expect(ready).toMatchObject({ type: 'document.ready', failures: 0, url: all.url, secrets: [{ sealed: 'sealed' }] })
      const message = JSON.parse(ready.body) as WebhookMessage
      expect(message).toMatchObject({
        type: 'document.ready',
        timestamp: clock.now().toISOString(),
        data: { document: { id, status: 'ready', chunk_count: 3, project: { id: project, name: 'default' } } },
      })
      expect(Object.keys(message.data.document)).not.toContain('uploader_id')
      expect(await records.webhooks.outbox.next(all.id, [ready.id])).toBeNull()
      await records.documents.delete(new Set([project]), id)
      expect((await records.webhooks.outbox.due()).map((one) => one.id).toSorted()).toEqual([all.id, deletions.id].toSorted())
      const deleted = (await records.webhooks.outbox.next(deletions.id, []))!
      expect(deleted).toMatchObject({ type: 'document.deleted' })
      expect(deleted.id).not.toBe(ready.id)
      expect(await records.webhooks.list(project)).toMatchObject([{ waiting: 2 }, { waiting: 1 }])
    })

    test('a document that fails, and one that moves to another project', async ({
      records,
      bob,
      project,
      add,
      claimOne,
      addWebhook,
      logOf,
    }) => {
      const here = await addWebhook()
      const other = (await records.projects.create({ ownerId: bob, name: 'other', description: '' })).id
      const there = await addWebhook({ projectId: other })
      const { id } = await add()
      await records.queue.fail(await claimOne(), { code: errorCode('corrupt'), message: 'broken' })
      await records.documents.edit(new Set([project]), id, { projectId: other }, null)
      const types = async (webhook: { id: string }) => (await logOf(webhook.id)).map(({ type }) => type).toSorted()
      expect(await types(here)).toEqual(['document.deleted', 'document.failed'])
      expect(await types(there)).toEqual(['document.failed'])
      const bodies = [await records.webhooks.outbox.next(here.id, []), await records.webhooks.outbox.next(there.id, [])]
      expect(bodies[0]!.body).not.toContain(other)
      expect(bodies[1]!.body).not.toContain(project)
    })

    test('records attempts, and sends a message again when it is due', async ({
      records,
      inFuture,
      clock,
      add,
      makeReady,
      addWebhook,
      finish,
      logOf,
    }) => {
      const webhook = await addWebhook()
      const { outbox } = records.webhooks
      const { id: documentId } = await add()
      await makeReady()
      const { id } = (await outbox.next(webhook.id, []))!
      const soon = inFuture(HOUR)
      await finish(id, 'timeout', { state: 'waiting', nextAttemptAt: soon })
      expect([await outbox.due(), await outbox.next(webhook.id, []), await outbox.nextDueAt()]).toEqual([[], null, soon])
      expect(await records.webhooks.get(webhook.projectId, webhook.id)).toMatchObject({ failingSince: clock.now(), waiting: 1 })
      clock.advance(HOUR)
      expect(await outbox.due()).toMatchObject([{ isFailing: true }])
      expect(await outbox.next(webhook.id, [])).toMatchObject({ id, failures: 1 })
      await finish(id, null)
      expect([await outbox.due(), await outbox.nextDueAt()]).toEqual([[], null])
      expect(await records.webhooks.get(webhook.projectId, webhook.id)).toMatchObject({ failingSince: null, waiting: 0 })
      expect(await logOf(webhook.id)).toMatchObject([
        {
          id,
          state: 'delivered',
          nextAttemptAt: null,
          document: { id: documentId, name: 'a.txt' },
          attempts: [
            { error: 'timeout', status: null, tookMs: 5 },
            { error: null, status: 204 },
          ],
        },
      ])
      expect(await records.webhooks.redeliver(webhook.id, id)).toMatchObject({ id, state: 'waiting' })
      expect(await outbox.next(webhook.id, [])).toMatchObject({ id, failures: 0 })
      expect(await records.webhooks.get(webhook.projectId, webhook.id)).toMatchObject({ waiting: 1 })
    })

    // A process was frozen during its attempt, and another process sent the message meanwhile.
    test('a failed attempt does not change a finished delivery, and a successful one makes it delivered', async ({
      records,
      clock,
      project,
      add,
      makeReady,
      addWebhook,
      finish,
    }) => {
      const { id } = await addWebhook()
      const { outbox } = records.webhooks
      const sendNext = async (error: DeliveryError | null) => {
        await add({ path: `${made}-${String(error)}.txt` })
        await makeReady()
        const message = (await outbox.next(id, []))!
        await finish(message.id, error)
        return message.id
      }
      const delivered = await sendNext(null)
      await finish(delivered, 'timeout', { state: 'waiting', nextAttemptAt: clock.now() })
      expect(await records.webhooks.delivery(id, delivered)).toMatchObject({
        state: 'delivered',
        nextAttemptAt: null,
        attempts: [{ error: null }, { error: 'timeout' }],
      })
      expect(await records.webhooks.get(project, id)).toMatchObject({ waiting: 0, failingSince: null })
      expect([await outbox.due(), await outbox.next(id, [])]).toEqual([[], null])

      const failed = await sendNext('timeout')
      await finish(failed, null)
      expect(await records.webhooks.delivery(id, failed)).toMatchObject({ state: 'delivered' })
      expect(await records.webhooks.get(project, id)).toMatchObject({ waiting: 0, failingSince: null })
    })

    test('is turned off after days of failures and by 410, keeps what waits, and sends it when it is turned on', async ({
      records,
      clock,
      project,
      add,
      makeReady,
      addWebhook,
      finish,
    }) => {
      const { id } = await addWebhook()
      const { outbox } = records.webhooks
      await add()
      await makeReady()
      const message = (await outbox.next(id, []))!
      await finish(message.id, 'timeout', { state: 'waiting', nextAttemptAt: clock.now() })
      clock.advance(MAX_FAILING_MS - 1)
      expect(await finish(message.id, 'timeout', { state: 'waiting', nextAttemptAt: clock.now() })).toBeNull()
      clock.advance(1)
      const failing = { at: clock.now(), reason: 'failing' }
      const off = await finish(message.id, 'timeout', { state: 'waiting', nextAttemptAt: clock.now() })
      expect(off).toMatchObject({ id, disabled: failing, waiting: 1 })
      expect([await outbox.due(), await outbox.next(id, []), await outbox.nextDueAt()]).toEqual([[], null, null])
      for (const send of [() => records.webhooks.addTest(id), () => records.webhooks.redeliver(id, message.id)])
        await expect(send()).rejects.toMatchObject({ code: errorCode('webhook_disabled') })
      // An event while it is off.
      await add({ path: 'b.txt' })
      await makeReady()
      const on = await records.webhooks.update(project, id, { enabled: true })
      expect(on).toMatchObject({ disabled: null, failingSince: null, waiting: 1 })
      expect(await outbox.next(id, [])).toMatchObject({ id: message.id })
      const gone = await finish(message.id, 'bad_status', { isGone: true })
      expect(gone).toMatchObject({ disabled: { reason: 'gone' }, waiting: 0 })
    })

    test('a test that fails says nothing about the webhook', async ({ records, project, addWebhook, finish }) => {
      const { id } = await addWebhook()
      const added = (await records.webhooks.addTest(id))!
      expect(added).toMatchObject({ type: 'webhook.test', document: null, state: 'waiting' })
      expect(JSON.parse((await records.webhooks.outbox.next(id, []))!.body)).toMatchObject({ data: { webhook: { id } } })
      await finish(added.id, 'connection_failed')
      expect(await records.webhooks.get(project, id)).toMatchObject({ failingSince: null, disabled: null, waiting: 0 })
      expect(await records.webhooks.delivery(id, added.id)).toMatchObject({ state: 'failed' })
    })

    test('keeps the former secret until it expires, and no older one', async ({ records, inFuture, project, addWebhook }) => {
      const { id } = await addWebhook()
      const formerUntil = inFuture(HOUR)
      for (const sealed of ['second', 'third']) await records.webhooks.rotate(project, id, { sealed, formerUntil })
      await records.webhooks.addTest(id)
      const { secrets } = (await records.webhooks.outbox.next(id, []))!
      expect(secrets).toEqual([
        { sealed: 'third', expiresAt: null },
        { sealed: 'second', expiresAt: formerUntil },
      ])
    })

    test('belongs to one project, which has a limited number, and is deleted with it', async ({
      records,
      alice,
      project,
      add,
      makeReady,
      addWebhook,
      logOf,
    }) => {
      const first = await addWebhook()
      await add()
      await makeReady()
      const { id: other } = await records.projects.create({ ownerId: alice, name: 'other', description: '' })
      await addWebhook({ projectId: other })
      await addWebhook()
      const kept = await addWebhook()
      await expect(addWebhook()).rejects.toMatchObject({ code: errorCode('too_many_webhooks'), details: { limit: 3 } })
      expect(await addWebhook({ projectId: 'prj_none' })).toBeNull()
      expect(await records.webhooks.get(other, first.id)).toBeNull()
      expect(await records.webhooks.update(other, first.id, { enabled: false })).toBeNull()
      expect(await records.webhooks.rotate(other, first.id, { sealed: '', formerUntil: new Date() })).toBeNull()
      expect(await records.webhooks.delete(other, first.id)).toBe(false)
      expect(await records.webhooks.delivery(kept.id, (await logOf(first.id))[0]!.id)).toBeNull()
      expect(await records.webhooks.delete(project, first.id)).toBe(true)
      expect([await logOf(first.id), await records.webhooks.outbox.due()]).toEqual([[], []])
      await records.projects.delete(project)
      expect(await records.webhooks.list(project)).toEqual([])
      expect([await records.webhooks.outbox.due(), await logOf(kept.id)]).toEqual([[], []])
      expect(await records.webhooks.list(other)).toHaveLength(1)
    })

    test('the log is limited by number and by age, and lists a result page at a time', async ({
      records,
      clock,
      inFuture,
      project,
      addWebhook,
      finish,
    }) => {
      const { id } = await addWebhook()
      const ids: string[] = []
      for (let i = 0; i < MAX_LOGGED + 3; i++) {
        const added = (await records.webhooks.addTest(id))!
        ids.unshift(added.id)
        await finish(added.id, null)
        clock.advance(1)
      }
      const waiting = (await records.webhooks.addTest(id))!
      const first = await records.webhooks.deliveries(id, { limit: 2, state: 'delivered' })
      const second = await records.webhooks.deliveries(id, { limit: 2, state: 'delivered', cursor: first.nextCursor! })
      expect([...first.items, ...second.items].map((one) => one.id)).toEqual(ids.slice(0, 4))
      expect((await records.webhooks.deliveries(id, { limit: 2 })).items[0]).toMatchObject({ id: waiting.id })
      expect(await records.webhooks.delivery(id, ids[MAX_LOGGED - 1]!)).not.toBeNull()
      expect(await records.webhooks.delivery(id, ids[MAX_LOGGED]!)).toBeNull()
      expect(await records.webhooks.outbox.sweep(inFuture(1), 100)).toBe(100)
      expect(await records.webhooks.outbox.sweep(inFuture(1), 10_000)).toBe(MAX_LOGGED - 99)
      expect(await records.webhooks.get(project, id)).toMatchObject({ waiting: 0 })
    })

    test('records each change in the audit log, without the address', async ({
      records,
      project,
      addWebhook,
      add,
      makeReady,
      finish,
    }) => {
      const { id } = await addWebhook()
      await records.webhooks.update(project, id, { url: 'https://other.example.com/secret-path', events: ['document.ready'] })
      await records.webhooks.update(project, id, { events: ['document.ready'], enabled: true })
      await records.webhooks.rotate(project, id, { sealed: 'new', formerUntil: new Date() })
      await add()
      await makeReady()
      await finish((await records.webhooks.outbox.next(id, []))!.id, 'bad_status', { isGone: true })
      await records.webhooks.update(project, id, { enabled: true })
      await records.webhooks.delete(project, id)
      const sight = { userId: '', projects: new Set([project]), limit: null, accounts: 'none' as const }
      const { events } = await records.audit.list(sight, {})
      const own = events.filter(({ action }) => action.startsWith('webhook.')).toReversed()
      expect(own.map(({ action, details }) => [action, details])).toMatchObject([
        ['webhook.create', { webhook: id, host: 'hooks.example.com' }],
        ['webhook.update', { host: 'other.example.com', changed: ['url', 'events'] }],
        ['webhook.rotate', { webhook: id }],
        ['webhook.disable', { webhook: id, reason: 'gone' }],
        ['webhook.update', { enabled: true }],
        ['webhook.delete', { webhook: id, host: 'other.example.com' }],
      ])
      expect(JSON.stringify(own)).not.toContain('secret-path')
    })
  })
}
