import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { WebhookList } from '../../src/contract/webhooks.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { runCommand, type CliOptions } from '../support/cli.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

let app: TestApp
let receiver: WebhookReceiver
beforeAll(async () => {
  app = await startTestApp({ webhooks: { plainHttp: true, privateNetworks: true } })
  receiver = await WebhookReceiver.start()
  await app.alice.post('/api/v1/projects', { name: 'reports' })
})
afterAll(async () => {
  receiver?.close()
  await app?.close()
})
beforeEach(async () => {
  receiver.answer = (response) => void response.writeHead(204).end()
  for (const { id } of await webhooks()) await app.alice.call('DELETE', `/api/v1/projects/reports/webhooks/${id}`)
})

const webhooks = async () => (await app.alice.get<WebhookList>('/api/v1/projects/reports/webhooks')).body.webhooks
const cli = (args: string, options: CliOptions = {}) =>
  runCommand(['webhooks', ...args.split(' '), '-p', 'reports'], {
    // Waits for an event: the attempt at the receiver.
    wait: () => setTimeout(10),
    ...options,
    env: { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: app.alice.key!, NO_COLOR: '1', ...options.env },
  })

async function add(path = '/hook'): Promise<string> {
  const run = await cli(`add ${receiver.url(path)}`)
  return /^id\s+(whk_\S+)$/m.exec(run.stdout)![1]!
}

test('adds a webhook, shows its secret once, and lists, changes and removes it', async () => {
  expect(await cli('list')).toMatchObject({ code: 1, stdout: '', stderr: 'Project reports has no webhooks.\n' })
  const added = await cli(`add ${receiver.url()} --event document.ready --event document.failed`)
  expect(added).toMatchObject({ code: 0, stderr: 'The secret is shown only once.\n' })
  expect(added.stdout).toMatch(/^secret\s+whsec_\S{40}$/m)
  const [webhook] = await webhooks()
  expect(webhook).toMatchObject({ events: ['document.ready', 'document.failed'] })
  expect((await cli('list')).stdout).toBe(`${webhook!.id}\t${receiver.url()}\tready,failed\ton\t0\n`)
  const shown = await cli('list', { terminal: 100 })
  expect(shown.stdout).toMatch(/^ID +URL +EVENTS +STATE +WAITING\n[0-9a-z]{6} +http:/)
  const off = await cli(`edit ${webhook!.id} --off --event document.deleted`)
  expect([off.code, off.stdout]).toEqual([0, expect.stringMatching(/^events\s+document.deleted\n.*state\s+off$/ms)])
  expect(off.stdout).not.toContain('whsec_')
  expect(await cli(`test ${webhook!.id}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('`docsearch webhooks edit --on`'),
  })
  expect((await cli(`edit ${receiver.url()} --on`)).stdout).toMatch(/^state\s+on$/m)
  expect(await cli(`edit ${webhook!.id}`)).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing to change') })
  const unconfirmed = await cli(`remove ${webhook!.id.slice(-6)}`)
  expect([unconfirmed.code, (await webhooks()).length]).toEqual([2, 1])
  expect((await cli(`remove ${webhook!.id.slice(-6)} --yes`)).stdout).toBe(`Removed ${webhook!.id}: ${receiver.url()}\n`)
  expect(await webhooks()).toEqual([])
})

test('tests a webhook, shows its deliveries, and sends a message again', async () => {
  const id = await add()
  expect(await cli(`test ${id}`)).toMatchObject({ code: 0, stdout: `Delivered to ${receiver.url()}: status 204\n` })
  receiver.answer = (response) => void response.writeHead(500).end()
  expect(await cli(`test ${id}`)).toMatchObject({ code: 3, stdout: `Could not deliver to ${receiver.url()}: status 500\n` })
  const log = (await cli(`deliveries ${id}`)).stdout.trim().split('\n')
  expect(log.map((line) => line.split('\t').slice(2, 7))).toEqual([
    ['webhook.test', '-', 'failed', '1', 'status 500'],
    ['webhook.test', '-', 'delivered', '1', 'status 204'],
  ])
  const failed = await cli(`deliveries ${id} --state failed --json`)
  const { deliveries } = JSON.parse(failed.stdout) as { deliveries: { id: string }[] }
  expect(deliveries).toHaveLength(1)
  receiver.answer = (response) => void response.writeHead(200).end()
  const again = await cli(`test ${id} --delivery ${deliveries[0]!.id}`)
  expect(again).toMatchObject({ code: 0, stdout: `Delivered to ${receiver.url()}: status 200\n` })
  expect(await cli(`deliveries ${id} --state failed`)).toMatchObject({ code: 1, stderr: 'No deliveries.\n' })
})

test('rotates the secret', async () => {
  const id = await add()
  const rotated = await cli(`rotate ${id} --grace 1h`)
  expect(rotated.stdout).toMatch(/^secret\s+whsec_\S{40}$/m)
  expect(rotated.stderr).toMatch(/shown only once\.\ndocsearch also signs messages with the old secret until 20\S+\.\n$/)
})

test.each([
  ['add nonsense', 'must be complete'],
  ['add ftp://example.com/', 'must be complete'],
  ['add https://example.com/ --event document.read', 'Allowed choices are document.ready, document.failed, document.deleted.'],
  ['remove whk_none --yes', '`docsearch webhooks list`'],
])('%s is wrong', async (args, message) => {
  expect(await cli(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
})
