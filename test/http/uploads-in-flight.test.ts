import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Logger } from '../../src/core/logger.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { runCommand, testFolder } from '../support/cli.ts'
import { errorCode } from '../support/codes.ts'
import { beginUpload } from '../support/slow-upload.ts'
import { until } from '../support/until.ts'

let app: TestApp
afterEach(() => app?.close())

const start = async (limits: NonNullable<TestAppOptions['limits']>, log?: Logger) =>
  (app = await startTestApp({ limits, ...(log && { log }) }))
const received = (count: number) => until(`${count} files to arrive`, async () => (await app.received()).length === count)

test('a user with too many uploads in flight over all keys learns when to try again, and other users are not affected', async () => {
  await start({ uploadsInFlight: 2 })
  const other = await app.aliceWith('write:documents')
  const slow = [
    await beginUpload(app.url, app.alice.key!, '0.txt', 'half and half'),
    await beginUpload(app.url, other.key!, '1.txt', 'and half'),
  ]
  await received(2)
  const refused = await other.upload([{ name: 'a.txt', content: 'a' }])
  expect(refused).toMatchObject({ status: 429, body: { code: errorCode('rate_limited'), limit: 2 } })
  expect(refused.headers.get('retry-after')).toBe('2')
  expect((await app.bob.upload([{ name: 'a.txt', content: 'a' }])).status).toBe(202)

  slow[0]!.finish()
  expect(await slow[0]!.answer).toMatch(/^HTTP\/1\.1 202 /)
  expect((await app.alice.upload([{ name: 'a.txt', content: 'a' }])).status).toBe(202)
  slow[1]!.abandon()
  await received(0)
  const both = [
    await beginUpload(app.url, app.alice.key!, '2.txt', 'x'.repeat(9)),
    await beginUpload(app.url, app.alice.key!, '3.txt', 'y'.repeat(9)),
  ]
  await received(2)
  for (const one of both) one.finish()
  for (const one of both) expect(await one.answer).toMatch(/^HTTP\/1\.1 202 /)
})

test('a body that makes no progress is dropped, and so is one that trickles in', async () => {
  await start({ uploadStallMs: 300, uploadsInFlight: 2 })
  const still = await beginUpload(app.url, app.alice.key!, 'still.txt', 'x'.repeat(100_000))
  const trickle = await beginUpload(app.url, app.alice.key!, 'trickle.txt', 'x'.repeat(100_000))
  const drops = setInterval(() => trickle.send('x'), 20)
  for (const one of [still, trickle]) expect(await one.said()).toMatch(/^HTTP\/1\.1 408 [\s\S]*request_timeout/)
  clearInterval(drops)
  await received(0)
  expect((await app.alice.upload([{ name: 'a.txt', content: 'a' }])).status).toBe(202)
  for (const one of [still, trickle]) one.abandon()
})

test('the command line stays below the limit', async () => {
  const statuses: unknown[] = []
  const log: Logger = {
    debug() {},
    info: (fields) => void statuses.push((fields as { status?: number }).status),
    warn() {},
    error() {},
    child: () => log,
  }
  await start({ uploadsInFlight: 3 }, log)
  const folder = testFolder()
  for (let i = 0; i < 90; i++) writeFileSync(join(folder, `${i}.txt`), `number ${i}`)
  const run = await runCommand(['upload', folder], { env: { DOCSEARCH_SERVER: app.url, DOCSEARCH_TOKEN: app.alice.key! } })
  expect(run.code).toBe(0)
  expect(statuses).not.toContain(429)
})
