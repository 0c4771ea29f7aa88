import { argon2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { createPasswords } from '../../../src/auth/passwords.ts'
import { errorCode } from '../../support/codes.ts'

const passwords = createPasswords()
/** For tests that do not check the cost. */
const quick = createPasswords({ memoryKiB: 64, passes: 1, parallelism: 1 })

test('makes a PHC string of argon2id with 19 MiB, two passes and a new salt', async () => {
  const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(one).not.toBe(two)
  const [, , , , salt = '', hash] = one.split('$')
  const options = { message: 'correct horse', nonce: Buffer.from(salt, 'base64'), memory: 19_456, passes: 2, parallelism: 1 }
  expect(
    argon2Sync('argon2id', { ...options, tagLength: 32 })
      .toString('base64')
      .replaceAll('=', ''),
  ).toBe(hash)
})

test('accepts only the same password, and none for an account without a password', async () => {
  const phc = await quick.hash('correct horse')
  expect(await quick.verify('correct horse', phc)).toBe(true)
  expect(await quick.verify('Correct horse', phc)).toBe(false)
  expect(await quick.verify('', phc)).toBe(false)
  expect(await quick.verify('correct horse', null)).toBe(false)
})

test('accepts a password however the keyboard composes its letters', async () => {
  const phc = await quick.hash('Müller ﬁnance')
  expect(await quick.verify('Mu\u0308ller finance', phc)).toBe(true)
})

test('verifies a hash of another cost at that cost, and calls it outdated', async () => {
  const phc = await quick.hash('correct horse')
  expect(await passwords.verify('correct horse', phc)).toBe(true)
  expect(passwords.isOutdated(phc)).toBe(true)
  expect(quick.isOutdated(phc)).toBe(false)
})

test('throws for what is no PHC string of argon2id, instead of refusing the password', async () => {
  await expect(quick.verify('x', '$2b$10$abcdefghijklmnopqrstuv')).rejects.toThrow('PHC')
})

test('finishes many hashes at the same time', async () => {
  const phc = await quick.hash('correct horse')
  const tries = Array.from({ length: 40 }, (_, i) => quick.verify(i % 2 === 0 ? 'correct horse' : 'wrong', phc))
  expect(await Promise.all(tries)).toEqual(tries.map((_, i) => i % 2 === 0))
})

test('a failed hash does not block the next ones', async () => {
  const broken = createPasswords({ memoryKiB: 1, passes: 1, parallelism: 1 })
  const phc = await quick.hash('correct horse')
  for (let i = 0; i < 5; i++) await expect(broken.hash('x')).rejects.toThrow()
  expect(await broken.verify('correct horse', phc)).toBe(true)
})

test('refuses a login when a hundred others wait for their turn', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 150 }, () => quick.verify('a', null)))
  const refused = outcomes
    .filter(({ status }) => status === 'rejected')
    .map((outcome) => (outcome as PromiseRejectedResult).reason)
  expect(refused.length).toBeGreaterThan(40)
  for (const error of refused) expect(error).toMatchObject({ code: errorCode('unavailable'), retryAfter: 5 })
  expect(await quick.verify('a', null)).toBe(false)
})
