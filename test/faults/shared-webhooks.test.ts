import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { WebhookDeliveryList, WebhookWithSecret } from '../../src/contract/webhooks.ts'
import { canCluster, type Cluster, type Node, startCluster } from '../support/cluster.ts'
import { withClient } from '../support/postgres-server.ts'
import { until } from '../support/until.ts'
import { type ReceivedMessage, WebhookReceiver } from '../support/webhook-receiver.ts'

const AT = '/api/v1/projects/default/webhooks'
const MESSAGES = 5

describe.skipIf(!canCluster)('webhooks of several processes', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  const start = async (env: Record<string, string> = {}) => {
    const node = await cluster.start('all', env)
    onTestFinished(() => node.daemon.kill())
    await until('it writes the index', () => node.isWriter())
    return node
  }
  const startReceiver = async () => {
    const receiver = await WebhookReceiver.start()
    onTestFinished(() => receiver.close())
    return receiver
  }
  const addWebhook = async (node: Node, url: string) =>
    (await node.call<WebhookWithSecret>('POST', AT, { url, events: ['document.deleted'] })).body.id
  /** Uploads documents and deletes them. Each deletion writes a message at once. */
  const deleteSome = async (node: Node, count: number) => {
    for (let i = 0; i < count; i++) await node.upload([{ name: `${i}.txt`, content: `Note ${i}.` }])
    for (const { id } of await node.settled()) await node.call('DELETE', `/api/v1/documents/${id}`)
  }
  const idsOf = (messages: readonly ReceivedMessage[]) => new Set(messages.map(({ headers }) => headers['webhook-id']))
  const query = (text: string) => withClient(cluster.env['DOCSEARCH_DATABASE']!, (client) => client.query(text))

  test('after an outage of the database, messages that waited are sent once, however old they are', async () => {
    const receiver = await startReceiver()
    const node = await start()
    const id = await addWebhook(node, receiver.url())
    // The next attempts become due during the outage.
    receiver.answer = (response) => void response.writeHead(503, { 'retry-after': '12' }).end()
    await deleteSome(node, MESSAGES)
    const refused = async () => {
      const { rows } = await query(`select 1 from webhook_deliveries where failures = 1 and webhook_id = '${id}'`)
      return rows.length === MESSAGES
    }
    await until('all attempts are recorded', refused)
    const first = idsOf(receiver.received)
    receiver.received.length = 0
    receiver.answer = (response) => void response.writeHead(204).end()
    // As if the outage had lasted 45 minutes.
    await query(`update webhook_deliveries set created_at = created_at - 2700000`)
    await cluster.postgres.kill()
    await until('the process has given up the lease', () => !node.isWriter())
    await cluster.postgres.start()
    const delivered = async () => {
      const { body } = await node.call<WebhookDeliveryList>('GET', `${AT}/${id}/deliveries?state=delivered`)
      return body.deliveries?.length === MESSAGES
    }
    await until('all are delivered', delivered)
    expect(receiver.received).toHaveLength(MESSAGES)
    expect(idsOf(receiver.received)).toEqual(first)
    await node.call('DELETE', `${AT}/${id}`)
  })

  // For example after its machine has slept, because the clock of the process stopped meanwhile.
  test('a process that lost its lease to another one sends nothing, even before it notices', async () => {
    const receiver = await startReceiver()
    // The process notices the loss after a third of this.
    const node = await start({ DOCSEARCH_TEST_LEASE_MS: '15000' })
    const id = await addWebhook(node, receiver.url())
    await node.upload([{ name: 'lease.txt', content: 'A note.' }])
    const [document] = await node.settled()
    await query(`update leases set holder = 'another process', expires_at = clock_timestamp() + interval '1 hour'`)
    await node.call('DELETE', `/api/v1/documents/${document!.id}`)
    await until('the process has noticed', () => !node.isWriter())
    expect(receiver.received).toEqual([])
    await query(`update leases set expires_at = '-infinity'`)
    await receiver.messages(1)
    await node.call('DELETE', `${AT}/${id}`)
  })
})
