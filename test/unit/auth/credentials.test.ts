import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApiKeys, newApiKey } from '../../../src/auth/api-keys.ts'
import { type CredentialChecker, createAuthenticator } from '../../../src/auth/auth.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import type { Principal } from '../../../src/core/model.ts'
import { openRecordsIn } from '../../support/temp-records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { testClock } from '../../support/test-clock.ts'

async function setUp() {
  const folder = await tempFolder()
  const clock = testClock()
  const records = await openRecordsIn({ file: join(folder, 'docsearch.db'), clock, log: silentLogger })
  onTestFinished(() => records.close())
  const user = await records.users.create({ name: 'Ann', email: null, role: 'owner' })
  return { folder, clock, records, user, keys: createApiKeys({ records, clock }) }
}

test('a key identifies its user until it expires', async () => {
  const { clock, keys, user } = await setUp()
  const expiresAt = new Date(clock.now().getTime() + 60_000)
  const { key, record } = await keys.create({ ownerId: user.id, name: 'ci', scopes: ['read:documents'], expiresAt })
  expect(await keys.check(key)).toEqual({
    userId: user.id,
    scopes: new Set(['read:documents']),
    projectIds: null,
    via: 'api_key',
    credentialId: record.id,
    credentialName: 'ci',
    credentialLastFour: key.slice(-4),
    expiresAt,
  })
  clock.advance(59_999)
  expect(await keys.check(key)).not.toBeNull()
  clock.advance(1)
  expect(await keys.check(key)).toBeNull()
})

test('refuses a key of a disabled user until the user is enabled again', async () => {
  const { keys, records } = await setUp()
  const { id: ownerId } = await records.users.create({ name: 'Ben', email: null, role: 'member' })
  const { key } = await keys.create({ ownerId, name: 'a', scopes: ['read:documents'], expiresAt: null })
  await records.users.setDisabled(ownerId, true)
  expect(await keys.check(key)).toBeNull()
  await records.users.setDisabled(ownerId, false)
  expect(await keys.check(key)).not.toBeNull()
})

test('does not look up a key with a wrong checksum', async () => {
  const { clock } = await setUp()
  const untouchable = new Proxy({}, { get: () => expect.unreachable('the database was asked') })
  const keys = createApiKeys({ records: { keys: untouchable as never }, clock })
  const key = newApiKey()
  expect(await keys.check(key.slice(0, -1) + (key.endsWith('0') ? '1' : '0'))).toBeNull()
})

test('accepts a key even if its use cannot be recorded', async () => {
  const { clock, records, user } = await setUp()
  const full = { ...records.keys, touch: () => Promise.reject(new Error('the disk is full')) }
  const keys = createApiKeys({ records: { keys: full }, clock })
  const { key } = await keys.create({ ownerId: user.id, name: 'a', scopes: ['read:documents'], expiresAt: null })
  expect(await keys.check(key)).not.toBeNull()
})

test('stores no issued secret in the data folder', async () => {
  const { folder, keys, user } = await setUp()
  const { key } = await keys.create({ ownerId: user.id, name: 'a', scopes: ['read:documents'], expiresAt: null })
  const files = await readdir(folder)
  expect(files).toContain('docsearch.db')
  for (const file of files) {
    const bytes = await readFile(join(folder, file))
    for (const secret of [key, key.slice(4, 34)]) expect(bytes.includes(secret), file).toBe(false)
  }
})

test('the authenticator tries each kind of credential in turn', async () => {
  const { keys, user } = await setUp()
  const principal: Principal = {
    userId: user.id,
    scopes: new Set(),
    projectIds: null,
    via: 'access_token',
    credentialId: 'tok_1',
    credentialName: 'app',
    expiresAt: null,
  }
  const tokens: CredentialChecker = { check: async (credential) => (credential === 'a-token' ? principal : null) }
  const authenticator = createAuthenticator([keys, tokens])
  expect(await authenticator.authenticate('a-token')).toBe(principal)
  expect(await authenticator.authenticate('another')).toBeNull()
})
