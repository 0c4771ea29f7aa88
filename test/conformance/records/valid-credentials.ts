import { describe, expect } from 'vitest'
import type { EmptyRecordsTest } from './fixtures.ts'

const DAY_MS = 86_400_000

export function validCredentialsConformance(base: EmptyRecordsTest): void {
  /** Tests get two users, each with a key, a session and an access token, and a function that returns which of these are valid. */
  const test = base
    .extend('users', async ({ records, inFuture }) => {
      const users = new Map<string, { id: string; keyId: string; sessionId: string; clientId: string }>()
      for (const name of ['a', 'b']) {
        const { id } = await records.users.create({ name, email: `${name}@example.org`, role: 'member' })
        const expiresAt = inFuture(DAY_MS)
        const key = await records.keys.create({
          ownerId: id,
          name,
          sha256: `key ${name}`,
          lastFour: 'abcd',
          scopes: [],
          projectIds: null,
          expiresAt,
          maxKeys: 10,
        })
        const browser = { userAgent: '', address: '', expiresAt }
        const session = await records.sessions.create({ userId: id, sha256: `session ${name}`, ...browser })
        const uris = { type: 'public' as const, redirectUris: ['https://a.example/'], scopes: [], secret: null }
        const application = await records.oauth.applications.create({ ownerId: id, name, ...uris })
        const consent = { clientId: application.id, userId: id, redirectUri: 'https://a.example/', scopes: [], expiresAt }
        await records.oauth.codes.create({
          ...consent,
          sha256: `code ${name}`,
          projectIds: null,
          codeChallenge: null,
          resource: null,
        })
        const access = { sha256: `token ${name}`, expiresAt }
        await records.oauth.codes.redeem(`code ${name}`, { access, refresh: null, scopes: [] })
        users.set(name, { id, keyId: key.id, sessionId: session.id, clientId: application.id })
      }
      return users
    })
    .extend('valid', ({ records }) => async () => {
      const names = ['a', 'b', 'none']
      const of = (kind: string) => names.map((name) => `${kind} ${name}`)
      const found = [
        await records.keys.findValid(of('key')),
        await records.sessions.findValid(of('session')),
        await records.oauth.grants.findValidAccess(of('token')),
      ]
      return found.flatMap((hashes) => [...hashes].toSorted())
    })

  describe('valid credentials', () => {
    const OF_B = ['key b', 'session b', 'token b']

    test('are found by their hashes', async ({ users, valid }) => {
      expect(users.size).toBe(2)
      expect(await valid()).toEqual(['key a', 'key b', 'session a', 'session b', 'token a', 'token b'])
    })

    test('do not include deleted ones', async ({ records, users, valid }) => {
      const { id, keyId, sessionId, clientId } = users.get('a')!
      await records.keys.delete(id, keyId)
      await records.sessions.delete(id, sessionId)
      await records.oauth.applications.delete(id, clientId)
      expect(await valid()).toEqual(OF_B)
    })

    test('do not include revoked grants', async ({ records, users, valid }) => {
      const { id, clientId } = users.get('a')!
      await records.oauth.grants.revokeAll(id, clientId)
      expect(await valid()).not.toContain('token a')
    })

    test('do not include the credentials of a disabled or a deleted user', async ({ records, users, valid }) => {
      await records.users.setDisabled(users.get('a')!.id, true)
      expect(await valid()).toEqual(OF_B)
      await records.users.delete(users.get('b')!.id)
      expect(await valid()).toEqual([])
    })

    test('do not include expired ones', async ({ clock, users, valid }) => {
      expect(users.size).toBe(2)
      clock.advance(DAY_MS)
      expect(await valid()).toEqual([])
    })
  })
}
