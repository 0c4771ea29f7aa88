import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLoginLimits } from '../../../src/auth/accounts.ts'
import { errorCode } from '../../support/codes.ts'

const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function pass(ms: number): void {
  vi.advanceTimersByTime(ms)
}

function setUp(failures = 3) {
  const limits = createLoginLimits(failures)
  const fail = async (account: string, address: string): Promise<void> => void (await limits.begin({ account, address }))
  /** The seconds to wait, or null if the attempt was allowed; it counts as failed then. */
  const refused = async (account: string, address: string): Promise<number | null> => {
    try {
      await limits.begin({ account, address })
      return null
    } catch (error) {
      expect(error).toMatchObject({ code: errorCode('too_many_failures') })
      return (error as { retryAfter: number }).retryAfter
    }
  }
  return { limits, fail, refused }
}

test('locks an account for every address until 15 minutes after its first failure', async () => {
  const { fail, refused } = setUp()
  await fail('ann', '1.1.1.1')
  pass(MINUTE)
  await fail('ann', '2.2.2.2')
  await fail('ann', '3.3.3.3')
  expect(await refused('ann', '4.4.4.4')).toBe(14 * 60)
  pass(14 * MINUTE - 1)
  expect(await refused('ann', '4.4.4.4')).toBe(1)
  pass(1)
  expect(await refused('ann', '4.4.4.4')).toBeNull()
})

test('locks an address for every account', async () => {
  const { fail, refused } = setUp()
  for (const account of ['a', 'b', 'c']) await fail(account, '1.1.1.1')
  expect(await refused('d', '1.1.1.1')).toBe(15 * 60)
  expect(await refused('d', '1.1.1.2')).toBeNull()
})

test('does not count a refused attempt, neither for the account nor for the address', async () => {
  const { fail, refused } = setUp()
  for (let i = 0; i < 3; i++) await fail('ann', `1.1.1.${i}`)
  for (let i = 0; i < 10; i++) await refused('ann', '9.9.9.9')
  expect(await refused('ben', '9.9.9.9')).toBeNull()
  pass(15 * MINUTE)
  expect(await refused('ann', '9.9.9.9')).toBeNull()
})

test('a success unlocks the account and keeps the other failures of the address', async () => {
  const { limits, fail, refused } = setUp()
  await fail('victim', '1.1.1.1')
  await fail('victim', '1.1.1.1')
  for (let i = 0; i < 5; i++) await (await limits.begin({ account: 'mine', address: '1.1.1.1' })).succeeded()
  await fail('victim', '1.1.1.1')
  expect(await refused('mine', '1.1.1.1')).toBe(15 * 60)
  await (await limits.begin({ account: 'other', address: '2.2.2.2' })).succeeded()
  await fail('other', '2.2.2.2')
  await fail('other', '2.2.2.2')
  expect(await refused('other', '2.2.2.2')).toBeNull()
})

test('counts an attempt as failed until it succeeds', async () => {
  const { limits, refused } = setUp()
  const attempts = await Promise.all(Array.from({ length: 3 }, () => limits.begin({ account: 'ann', address: '1.1.1.1' })))
  expect(await refused('ann', '1.1.1.1')).not.toBeNull()
  await attempts[0]!.succeeded()
  expect(await refused('ann', '1.1.1.1')).toBeNull()
})

test('a success after the 15 minutes ended does not add an attempt', async () => {
  const { limits, fail, refused } = setUp()
  const slow = await limits.begin({ account: 'ann', address: '1.1.1.1' })
  pass(15 * MINUTE)
  await slow.succeeded()
  for (const account of ['a', 'b', 'c']) await fail(account, '1.1.1.1')
  expect(await refused('d', '1.1.1.1')).not.toBeNull()
})

test('counts an IPv6 network as one address', async () => {
  const { fail, refused } = setUp()
  for (const address of ['2001:db8:0:1::1', '2001:0db8::1:0:0:0:2', '2001:db8:0:1:ffff::']) await fail(address, address)
  expect(await refused('ann', '2001:db8:0:1:5:5:5:5')).not.toBeNull()
  expect(await refused('ann', '2001:db8:0:2::1')).toBeNull()
})

test('keeps IPv4 addresses apart when they are written as IPv6', async () => {
  const { fail, refused } = setUp()
  for (let i = 0; i < 3; i++) await fail(`a${i}`, '::ffff:1.1.1.1')
  expect(await refused('b', '::ffff:1.1.1.1')).not.toBeNull()
  expect(await refused('b', '::ffff:1.1.1.2')).toBeNull()
})

test('0 sets no limit', async () => {
  const { fail } = setUp(0)
  for (let i = 0; i < 100; i++) await fail('ann', '1.1.1.1')
})
