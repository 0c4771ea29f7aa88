import { expect, test } from 'vitest'
import { createLoginLimits } from '../../../src/auth/login-limits.ts'
import { testClock } from '../../support/test-clock.ts'
import { errorCode } from '../../support/codes.ts'

const MINUTE = 60_000

function setUp(failures = 3) {
  const clock = testClock()
  const limits = createLoginLimits({ failures, clock })
  const fail = (account: string, address: string) => void limits.begin({ account, address })
  const refused = (account: string, address: string): number | null => {
    try {
      limits.begin({ account, address })
      return null
    } catch (error) {
      expect(error).toMatchObject({ code: errorCode('too_many_failures') })
      return (error as { retryAfter: number }).retryAfter
    }
  }
  return { clock, limits, fail, refused }
}

test('an account is closed for every address, and opens as its failures grow old', () => {
  const { clock, fail, refused } = setUp()
  fail('ann', '1.1.1.1')
  clock.advance(MINUTE)
  fail('ann', '2.2.2.2')
  fail('ann', '3.3.3.3')
  expect(refused('ann', '4.4.4.4')).toBe(14 * 60)
  clock.advance(14 * MINUTE - 1)
  expect(refused('ann', '4.4.4.4')).toBe(1)
  clock.advance(1)
  expect(refused('ann', '4.4.4.4')).toBeNull()
  expect(refused('ann', '5.5.5.5')).toBe(60)
})

test('an address is closed for every account', () => {
  const { fail, refused } = setUp()
  for (const account of ['a', 'b', 'c']) fail(account, '1.1.1.1')
  expect(refused('d', '1.1.1.1')).toBe(15 * 60)
  expect(refused('d', '1.1.1.2')).toBeNull()
})

test('a refused attempt counts for nothing', () => {
  const { clock, fail, refused } = setUp()
  for (let i = 0; i < 3; i++) fail('ann', `1.1.1.${i}`)
  clock.advance(15 * MINUTE - 1)
  for (let i = 0; i < 10; i++) refused('ann', '9.9.9.9')
  clock.advance(1)
  expect(refused('ann', '9.9.9.9')).toBeNull()
})

test('a success opens the account, and leaves the failures of the address', () => {
  const { limits, fail, refused } = setUp()
  fail('victim', '1.1.1.1')
  fail('victim', '1.1.1.1')
  for (let i = 0; i < 5; i++) limits.begin({ account: 'mine', address: '1.1.1.1' }).succeeded()
  fail('victim', '1.1.1.1')
  expect(refused('mine', '1.1.1.1')).toBe(15 * 60)
  limits.begin({ account: 'other', address: '2.2.2.2' }).succeeded()
  fail('other', '2.2.2.2')
  fail('other', '2.2.2.2')
  expect(refused('other', '2.2.2.2')).toBeNull()
})

test('attempts under way count as failed until they succeed', () => {
  const { limits, refused } = setUp()
  const attempts = Array.from({ length: 3 }, () => limits.begin({ account: 'ann', address: '1.1.1.1' }))
  expect(refused('ann', '1.1.1.1')).not.toBeNull()
  attempts[0]!.succeeded()
  expect(refused('ann', '1.1.1.1')).toBeNull()
})

test('an IPv6 network counts as one address', () => {
  const { fail, refused } = setUp()
  for (const address of ['2001:db8:0:1::1', '2001:0db8::1:0:0:0:2', '2001:db8:0:1:ffff::']) fail(address, address)
  expect(refused('ann', '2001:db8:0:1:5:5:5:5')).not.toBeNull()
  expect(refused('ann', '2001:db8:0:2::1')).toBeNull()
})

test('addresses of IPv4 written as IPv6 stay apart', () => {
  const { fail, refused } = setUp()
  for (let i = 0; i < 3; i++) fail(`a${i}`, '::ffff:1.1.1.1')
  expect(refused('b', '::ffff:1.1.1.1')).not.toBeNull()
  expect(refused('b', '::ffff:1.1.1.2')).toBeNull()
})

test('0 is no limit', () => {
  const { fail } = setUp(0)
  for (let i = 0; i < 100; i++) fail('ann', '1.1.1.1')
})
