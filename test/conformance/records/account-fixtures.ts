import type { NewTokens } from '../../../src/records/oauth.ts'
import type { EmptyRecordsTest } from './fixtures.ts'

export const MINUTE = 60_000
export const DAY = 24 * 60 * MINUTE

/** Tests get two users, and what a user can have. */
export function accountsTest(base: EmptyRecordsTest) {
  return base
    .extend('ann', async ({ records }) => {
      return (await records.users.create({ name: 'Ann', email: 'Ann@Example.org', role: 'owner' })).id
    })
    .extend('ben', async ({ records, clock, ann: _after }) => {
      clock.advance(1)
      return (await records.users.create({ name: 'Ben', email: 'ben@example.org', role: 'member' })).id
    })
    .extend('session', ({ records, inFuture }) => (userId: string, sha256: string, life = 10 * MINUTE) => {
      return records.sessions.create({ userId, sha256, userAgent: 'Browser', address: '::1', expiresAt: inFuture(life) })
    })
    .extend('link', ({ records, inFuture }) => (userId: string, sha256: string, life = 10 * MINUTE) => {
      return records.links.create({ userId, purpose: 'invitation', sha256, expiresAt: inFuture(life) })
    })
    .extend('key', ({ records }) => (ownerId: string, sha256: string, expiresAt: Date | null = null) => {
      const key = {
        ownerId,
        name: 'k',
        sha256,
        lastFour: 'abcd',
        scopes: ['read:documents'] as const,
        projectIds: null,
        expiresAt,
      }
      return records.keys.create({ ...key, maxKeys: 10 })
    })
    .extend('document', ({ records }) => async (ownerId: string) => {
      const { id: projectId } = await records.projects.create({ ownerId, name: 'p', description: '' })
      const facts = { name: 'a', path: 'a', mediaType: 'text/plain', sizeBytes: 1, sha256: 'f'.repeat(64), tags: [] }
      return (await records.documents.register({ uploaderId: ownerId, projectId, ...facts }, 'replace')).document
    })
}

interface CodeChange {
  clientId?: string
  userId?: string
  projectIds?: string[]
}

export type AccountsTest = ReturnType<typeof accountsTest>

/** Tests get applications, codes and grants of Ben in addition. */
export function oauthTest(base: AccountsTest) {
  return base
    .extend('newApplication', ({ records, ann }) => (ownerId = ann, secret: string | null = 'secret') => {
      return records.oauth.applications.create({
        ownerId,
        name: 'App',
        type: secret === null ? 'public' : 'confidential',
        redirectUris: ['https://app.example/back', 'http://127.0.0.1/cb'],
        scopes: ['read:documents', 'write:documents'],
        secret: secret === null ? null : { sha256: secret, lastFour: 'abcd' },
      })
    })
    .extend('newCode', ({ records, ben, inFuture }) => (sha256: string, change: CodeChange = {}) => {
      return records.oauth.codes.create({
        sha256,
        clientId: 'app',
        userId: ben,
        redirectUri: 'https://app.example/back',
        scopes: ['read:documents', 'write:documents'],
        projectIds: null,
        codeChallenge: 'challenge',
        resource: 'https://docs.example/',
        expiresAt: inFuture(10 * MINUTE),
        ...change,
      })
    })
    .extend('tokens', ({ inFuture }) => (name: string): NewTokens => ({
      access: { sha256: `access ${name}`, expiresAt: inFuture(60 * MINUTE) },
      refresh: { sha256: `refresh ${name}`, expiresAt: inFuture(30 * DAY) },
      scopes: ['read:documents'],
    }))
    .extend('newGrant', ({ records, newCode, tokens }) => {
      return async (name: string, change: CodeChange = {}) => {
        await newCode(`code ${name}`, change)
        return (await records.oauth.codes.redeem(`code ${name}`, tokens(name)))!
      }
    })
    .extend('newDevice', ({ records, inFuture }) => (name = 'd') => {
      return records.oauth.devices.create({
        deviceSha256: `device ${name}`,
        userSha256: `user ${name}`,
        clientId: 'app',
        scopes: ['read:documents'],
        resource: null,
        expiresAt: inFuture(10 * MINUTE),
        intervalSeconds: 5,
      })
    })
    .extend('isAlive', ({ records }) => async (name: string) => {
      return (await records.oauth.grants.findAccess(`access ${name}`)) !== null
    })
}

export type OAuthTest = ReturnType<typeof oauthTest>
