import { describe, expect } from 'vitest'
import type { OAuthTest } from './account-fixtures.ts'

export function credentialsVersionConformance(test: OAuthTest): void {
  describe('the version of the credentials', () => {
    test('grows with every change that a lookup of a credential could notice', async ({
      records,
      ben,
      session,
      key,
      newApplication,
    }) => {
      const { id: sessionId } = await session(ben, 's')
      const { id: keyId } = await key(ben, 'k')
      const application = await newApplication(ben)
      const changes: Record<string, () => Promise<unknown>> = {
        'a new session': () => session(ben, 's2'),
        'a deleted session': () => records.sessions.delete(ben, sessionId),
        'deleted sessions': () => records.sessions.deleteOthers(ben, null),
        'a new key': () => key(ben, 'k2'),
        'a deleted key': () => records.keys.delete(ben, keyId),
        'a changed application': () => records.oauth.applications.update(ben, application.id, { scopes: [] }),
        'a deleted application': () => records.oauth.applications.delete(ben, application.id),
        'a new password': () => records.users.setPasswordHash(ben, 'phc'),
        'a new name': () => records.users.update(ben, { name: 'B' }),
        'a disabled user': () => records.users.setDisabled(ben, true),
        'an enabled user': () => records.users.setDisabled(ben, false),
        'a deleted user': () => records.users.delete(ben),
      }
      for (const [name, change] of Object.entries(changes)) {
        const before = await records.credentialsVersion()
        await change()
        expect(await records.credentialsVersion(), name).toBeGreaterThan(before)
      }
    })
  })
}
