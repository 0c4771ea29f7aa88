import { argon2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { createPasswords } from '../../../src/auth/passwords.ts'

const passwords = createPasswords()
/** Small, where the cost is not the question. */
const quick = createPasswords({ memoryKiB: 64, passes: 1, parallelism: 1 })

test('a hash is a PHC string of argon2id with 19 MiB, two passes and a salt of its own', async () => {
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

test('only the same password fits, and nothing fits an account without one', async () => {
  const phc = await quick.hash('correct horse')
  expect(await quick.verify('correct horse', phc)).toBe(true)
  expect(await quick.verify('Correct horse', phc)).toBe(false)
  expect(await quick.verify('', phc)).toBe(false)
  expect(await quick.verify('correct horse', null)).toBe(false)
})

test('however a keyboard composes the letters, the password is the same', async () => {
  const phc = await quick.hash('Müller ﬁnance')
  expect(await quick.verify('Mu\u0308ller finance', phc)).toBe(true)
})

test('a hash made elsewhere is verified at its own cost, and is outdated', async () => {
  const phc = await quick.hash('correct horse')
  expect(await passwords.verify('correct horse', phc)).toBe(true)
  expect(passwords.isOutdated(phc)).toBe(true)
  expect(quick.isOutdated(phc)).toBe(false)
})

test('what is no PHC string of argon2id is a fault, not a wrong password', async () => {
  await expect(quick.verify('x', '$2b$10$abcdefghijklmnopqrstuv')).rejects.toThrow('PHC')
})

test('many at once all come to an end', async () => {
  const phc = await quick.hash('correct horse')
  const tries = Array.from({ length: 40 }, (_, i) => quick.verify(i % 2 === 0 ? 'correct horse' : 'wrong', phc))
  expect(await Promise.all(tries)).toEqual(tries.map((_, i) => i % 2 === 0))
})

test('one that fails does not keep its place', async () => {
  const broken = createPasswords({ memoryKiB: 1, passes: 1, parallelism: 1 })
  const phc = await quick.hash('correct horse')
  for (let i = 0; i < 5; i++) await expect(broken.hash('x')).rejects.toThrow()
  expect(await broken.verify('correct horse', phc)).toBe(true)
})
