import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAccessTokens } from '../../../src/auth/auth.ts'
import { silentLogger } from '../../../src/core/logger.ts'
import { hashSecret } from '../../../src/core/secrets.ts'
import { tempRecords } from '../../support/temp-records.ts'
import { testClock } from '../../support/test-clock.ts'

async function setUp() {
  const clock = testClock()
  const records = await tempRecords(clock)
  await records.users.create({ name: 'Ann', email: null, role: 'owner' })
  const ben = await records.users.create({ name: 'Ben', email: null, role: 'member' })
  const client = await records.oauth.applications.create({
    ownerId: ben.id,
    name: 'Notes',
    type: 'public',
    redirectUris: ['https://notes.example/'],
    scopes: ['read:documents', 'write:documents'],
    secret: null,
  })
  const expiresAt = new Date(clock.now().getTime() + 3_600_000)
  await records.oauth.codes.create({
    sha256: 'code',
    clientId: client.id,
    userId: ben.id,
    redirectUri: 'https://notes.example/',
    scopes: ['read:documents', 'write:documents'],
    projectIds: null,
    codeChallenge: null,
    resource: null,
    expiresAt,
  })
  const token = randomBytes(32).toString('hex')
  const grant = await records.oauth.codes.redeem('code', {
    access: { sha256: hashSecret(token), expiresAt },
    refresh: { sha256: 'refresh', expiresAt },
    scopes: ['read:documents'],
  })
  const tokens = createAccessTokens({ ...records.oauth, log: silentLogger })
  return { clock, records, ben, token, grant: grant!, expiresAt, tokens }
}

test('returns the user, the scopes of the token and the name of the application', async () => {
  const { ben, token, grant, expiresAt, tokens } = await setUp()
  expect(await tokens.check(token)).toEqual({
    userId: ben.id,
    scopes: new Set(['read:documents']),
    projectIds: null,
    via: 'access_token',
    credentialId: grant.id,
    credentialName: 'Notes',
    expiresAt,
  })
})

test('refuses tokens that expired, of a revoked family, and of a disabled user', async () => {
  const expired = await setUp()
  expired.clock.advance(3_600_000)
  expect(await expired.tokens.check(expired.token)).toBeNull()
  const revoked = await setUp()
  await revoked.records.oauth.grants.revoke(revoked.grant.id)
  expect(await revoked.tokens.check(revoked.token)).toBeNull()
  const disabled = await setUp()
  await disabled.records.users.setDisabled(disabled.ben.id, true)
  expect(await disabled.tokens.check(disabled.token)).toBeNull()
})

test('records the use of the grant, and accepts the token even if that fails', async () => {
  const { clock, records, ben, token, tokens } = await setUp()
  await tokens.check(token)
  expect((await records.oauth.grants.list(ben.id))[0]?.lastUsedAt).toEqual(clock.now())
  const full = { ...records.oauth.grants, touch: () => Promise.reject(new Error('the disk is full')) }
  const hindered = createAccessTokens({ ...records.oauth, grants: full, log: silentLogger })
  expect(await hindered.check(token)).not.toBeNull()
})

test('looks up only what has the shape of a token', async () => {
  const { records, token } = await setUp()
  const untouchable = new Proxy({}, { get: () => expect.unreachable('the database was asked') })
  const tokens = createAccessTokens({ applications: records.oauth.applications, grants: untouchable as never, log: silentLogger })
  for (const text of ['', token.slice(1), `${token}0`, token.toUpperCase().replace(/^./, 'A'), 'g'.repeat(64), `${token}\n`])
    expect(await tokens.check(text)).toBeNull()
})
