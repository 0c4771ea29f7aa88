import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rememberCredentials } from '../../../src/auth/remembered-credentials.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { openRecordsIn } from '../../support/temp-records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { testClock } from '../../support/test-clock.ts'

const MINUTE_MS = 60_000
const KEY = { name: 'k', lastFour: 'abcd', scopes: ['read:documents'] as const, projectIds: null, maxKeys: 100 }

async function setUp() {
  const clock = testClock()
  const file = join(await tempFolder(), 'docsearch.db')
  const database = await openRecordsIn({ file, clock, log: silentLogger })
  onTestFinished(() => database.close())
  const find = vi.spyOn(database.keys, 'findByHash')
  const findValid = vi.spyOn(database.keys, 'findValid')
  const touch = vi.spyOn(database.keys, 'touch')
  const records = rememberCredentials(database, clock)
  const { id: ownerId } = await records.users.create({ name: 'Ann', email: null, role: 'owner' })
  return { clock, file, database, find, findValid, touch, records, ownerId }
}

test('the database is asked once for a key, also when open requests are checked', async () => {
  const { records, ownerId, find, findValid, touch } = await setUp()
  const { id } = await records.keys.create({ ...KEY, ownerId, sha256: 'a', expiresAt: null })
  for (let i = 0; i < 10; i++) {
    expect(await records.keys.findByHash('a')).toMatchObject({ id })
    await records.keys.touch(id)
    expect(await records.keys.findValid(['a'])).toEqual(new Set(['a']))
  }
  // The touch changes what the key says about its last use, so the key is read again once.
  expect([find.mock.calls.length, findValid.mock.calls.length, touch.mock.calls.length]).toEqual([2, 1, 1])
})

test('the use of a key is written again after a minute', async () => {
  const { records, ownerId, clock, touch } = await setUp()
  const { id } = await records.keys.create({ ...KEY, ownerId, sha256: 'a', expiresAt: null })
  const use = async () => {
    await records.keys.findByHash('a')
    await records.keys.touch(id)
  }
  await use()
  clock.advance(MINUTE_MS - 1)
  await use()
  expect(touch).toHaveBeenCalledTimes(1)
  clock.advance(1)
  await use()
  expect((await records.keys.findByHash('a'))?.lastUsedAt).toEqual(clock.now())
})

test('a use that could not be written is written with the next request', async () => {
  const { records, ownerId, touch } = await setUp()
  const { id } = await records.keys.create({ ...KEY, ownerId, sha256: 'a', expiresAt: null })
  touch.mockRejectedValueOnce(new Error('the disk is full'))
  await expect(records.keys.touch(id)).rejects.toThrow('the disk is full')
  await records.keys.touch(id)
  expect((await records.keys.findByHash('a'))?.lastUsedAt).not.toBeNull()
})

test('the use of a key does not make docsearch look up other keys again', async () => {
  const { records, ownerId, find } = await setUp()
  await records.keys.create({ ...KEY, ownerId, sha256: 'a', expiresAt: null })
  const { id } = await records.keys.create({ ...KEY, ownerId, sha256: 'b', expiresAt: null })
  await records.keys.findByHash('a')
  await records.keys.touch(id)
  await records.projects.create({ ownerId, name: 'p', description: '' })
  await records.check()
  await records.keys.findByHash('a')
  expect(find).toHaveBeenCalledTimes(1)
})

test('an unknown key is looked up once, until a key is created', async () => {
  const { records, ownerId, find } = await setUp()
  for (let i = 0; i < 5; i++) expect(await records.keys.findByHash('a')).toBeNull()
  expect(find).toHaveBeenCalledTimes(1)
  await records.keys.create({ ...KEY, ownerId, sha256: 'a', expiresAt: null })
  expect(await records.keys.findByHash('a')).not.toBeNull()
})

test('invented keys never replace a valid one in memory', async () => {
  const { records, ownerId, find } = await setUp()
  await records.keys.create({ ...KEY, ownerId, sha256: 'a', expiresAt: null })
  await records.keys.findByHash('a')
  for (let i = 0; i < 3_000; i++) await records.keys.findByHash(`invented ${i}`)
  find.mockClear()
  await records.keys.findByHash('a')
  await records.keys.findByHash('invented 2999')
  expect(find).not.toHaveBeenCalled()
  // The memory for invented keys is bounded, so the oldest one is forgotten.
  await records.keys.findByHash('invented 0')
  expect(find).toHaveBeenCalledTimes(1)
})

test('a key that changes while it is looked up is looked up again', async () => {
  const { records, ownerId, find, database } = await setUp()
  const { id } = await records.keys.create({ ...KEY, ownerId, sha256: 'a', expiresAt: null })
  find.mockImplementationOnce(async () => {
    const found = await database.keys.findByHash('a')
    await database.keys.delete(ownerId, id)
    return found
  })
  await records.keys.findByHash('a')
  expect(await records.keys.findByHash('a')).toBeNull()
})
