import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook as Verifier } from 'standardwebhooks'
import { expect, test, type TestContext } from 'vitest'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookMessage,
  WebhookWithSecret,
} from '../../src/contract/webhooks.ts'
import { newInstance, type Running } from '../support/instance.ts'
import { until } from '../support/until.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

const AT = '/api/v1/projects/default/webhooks'
const ALLOWED = { DOCSEARCH_WEBHOOKS_PLAIN_HTTP: 'true', DOCSEARCH_WEBHOOKS_PRIVATE_NETWORKS: 'true' }

async function setUp({ onTestFinished }: TestContext) {
  const instance = await newInstance(ALLOWED)
  const receiver = await WebhookReceiver.start()
  onTestFinished(async () => {
    receiver.close()
    await instance.remove()
  })
  return { instance, receiver }
}

async function addWebhook(rest: Running, url: string): Promise<WebhookWithSecret> {
  const { status, body } = await rest.call<WebhookWithSecret>('POST', AT, { url })
  expect(status).toBe(201)
  return body
}

test('a document that became ready at the moment of a crash is announced after the restart', async (context) => {
  const { instance, receiver } = await setUp(context)
  const before = await instance.start()
  const { secret } = await addWebhook(before, receiver.url())
  await before.daemon.stop()
  const dying = await instance.start({ killAt: 'done' })
  await dying.upload([{ name: 'lease.txt', content: 'The lease ends in June.' }])
  await dying.died()
  await instance.start()
  const [message] = await receiver.messages(1)
  const { type, data } = new Verifier(secret).verify(message!.body, message!.headers as Record<string, string>) as WebhookMessage
  expect([type, data.document.name]).toEqual(['document.ready', 'lease.txt'])
})

test('a message whose attempt a crash interrupted is sent again with the same ID', async (context) => {
  const { instance, receiver } = await setUp(context)
  receiver.answer = () => {}
  const before = await instance.start()
  const { id } = await addWebhook(before, receiver.url())
  await before.upload([{ name: 'lease.txt', content: 'The lease ends in June.' }])
  const [first] = await receiver.messages(1)
  await before.daemon.kill()
  receiver.answer = (response) => void response.writeHead(204).end()
  const after = await instance.start()
  const [, second] = await receiver.messages(2)
  expect([second!.body, second!.headers['webhook-id']]).toEqual([first!.body, first!.headers['webhook-id']])
  await until('the delivery is recorded', async () => {
    const { body } = await after.call<WebhookDeliveryList>('GET', `${AT}/${id}/deliveries?state=delivered`)
    return body.deliveries.length === 1
  })
  // An instance that stops waits for the attempt in progress only as long as for everything else.
  receiver.answer = () => {}
  await after.call('POST', `${AT}/${id}/test`)
  await receiver.messages(3)
  expect(await after.daemon.stop()).toBe(0)
})

test('without the key of the data folder deliveries fail, until the secret is rotated', async (context) => {
  const { instance, receiver } = await setUp(context)
  const before = await instance.start()
  const { id } = await addWebhook(before, receiver.url())
  await before.daemon.stop()
  await rm(join(instance.dataDir, 'webhook.key'))
  const after = await instance.start()
  const tested = async () => {
    const { body } = await after.call<WebhookDelivery>('POST', `${AT}/${id}/test`)
    return until('the attempt', async () => {
      const answer = await after.call<WebhookDelivery>('GET', `${AT}/${id}/deliveries/${body.id}`)
      return answer.body.state !== 'waiting' && answer.body
    })
  }
  expect(await tested()).toMatchObject({ state: 'failed', attempts: [{ error: { code: 'secret_lost' } }] })
  const { body: rotated } = await after.call<WebhookWithSecret>('POST', `${AT}/${id}/rotate`)
  expect(await tested()).toMatchObject({ state: 'delivered' })
  const [message] = await receiver.messages(1)
  new Verifier(rotated.secret).verify(message!.body, message!.headers as Record<string, string>)
  expect((await after.call<Webhook>('GET', `${AT}/${id}`)).body.enabled).toBe(true)
})
