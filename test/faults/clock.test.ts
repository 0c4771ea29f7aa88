import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Faults, prepareFaults } from '../support/faults.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'
import { expectSearchableOnce, expectTidy } from '../support/promises.ts'
import { rareWord, textWith } from '../support/words.ts'

const DAY_MS = 86_400_000
const HELLO = '/api/v1/me'

let instance: Instance
let faults: Faults | null
const words: Record<string, string> = {}

beforeAll(async () => {
  instance = await newInstance()
  mkdirSync(instance.dataDir)
  faults = prepareFaults(instance.home, instance.dataDir)
})
afterAll(() => instance?.remove())

async function expectWork(running: Running, name: string): Promise<void> {
  words[name] = rareWord()
  await running.upload([{ name, content: textWith(words[name]) }])
  await expectSearchableOnce(running, words)
}

async function newKey(running: Running, options: object = {}): Promise<{ id: string; key: string }> {
  const { status, body } = await running.call<{ id: string; key: string }>('POST', '/api/v1/keys', { name: 'clock', ...options })
  expect(status).toBe(201)
  return body
}

const statusFor = async (running: Running, key: string): Promise<number> =>
  (await fetch(running.url + HELLO, { headers: { authorization: `Bearer ${key}` } })).status

test('a clock that jumps stops no work, revives no key and locks nobody out', async ({ skip }) => {
  if (faults === null) return skip('needs Linux and a C compiler')
  const start = () =>
    instance.start({ env: { ...faults!.env, DOCSEARCH_RATE_LIMIT: '100000', DOCSEARCH_USER_RATE_LIMIT: '100000' } })
  let running = await start()
  await expectWork(running, 'before.txt')
  const revoked = await newKey(running)
  const shortLived = await newKey(running, { expires_in_days: 1 })

  faults.shiftClock(2 * DAY_MS)
  await expectWork(running, 'ahead.txt')
  expect(await statusFor(running, shortLived.key)).toBe(401)
  expect((await running.call('DELETE', `/api/v1/keys/${revoked.id}`)).status).toBe(204)
  expect(await statusFor(running, revoked.key)).toBe(401)

  for (const days of [0, -2]) {
    faults.shiftClock(days * DAY_MS)
    await expectWork(running, `back ${days}.txt`)
    expect(await statusFor(running, revoked.key)).toBe(401)
    // The window that began while the clock was ahead must not last until then.
    const { headers } = await running.call('GET', HELLO)
    expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60)
  }

  // The newest rows are from the future of this start.
  await running.daemon.stop()
  running = await start()
  await expectWork(running, 'restarted.txt')
  expect(await statusFor(running, revoked.key)).toBe(401)
  faults.shiftClock(0)
  await expectTidy(running, instance.dataDir)
  expect(await running.daemon.stop()).toBe(0)
})
