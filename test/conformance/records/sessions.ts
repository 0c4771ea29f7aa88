import { describe, expect } from 'vitest'
import { MINUTE } from './account-fixtures.ts'
import type { AccountsTest } from './account-fixtures.ts'

export function sessionsConformance(test: AccountsTest): void {
  describe('sessions', () => {
    test('are found with their user until they expire', async ({ records, clock, ben, session }) => {
      const made = await session(ben, 's', MINUTE)
      expect(await records.sessions.findByHash('s')).toEqual({ session: made, user: await records.users.get(ben) })
      expect(await records.sessions.findByHash('t')).toBeNull()
      clock.advance(MINUTE - 1)
      expect(await records.sessions.findByHash('s')).not.toBeNull()
      clock.advance(1)
      expect(await records.sessions.findByHash('s')).toBeNull()
      expect(await records.sessions.list(ben)).toEqual([])
      expect(await records.sessions.sweep()).toBe(1)
    })

    test('expire later while they are used, written at most once a minute, and not after they expired', async ({
      records,
      clock,
      ben,
      session,
      inFuture,
    }) => {
      const { id } = await session(ben, 's', 2 * MINUTE)
      clock.advance(MINUTE - 1)
      await records.sessions.touch(id, inFuture(2 * MINUTE))
      expect((await records.sessions.list(ben))[0]?.expiresAt).toEqual(inFuture(MINUTE + 1))
      clock.advance(1)
      await records.sessions.touch(id, inFuture(2 * MINUTE))
      expect((await records.sessions.list(ben))[0]).toMatchObject({ lastSeenAt: clock.now(), expiresAt: inFuture(2 * MINUTE) })
      clock.advance(2 * MINUTE)
      await records.sessions.touch(id, inFuture(2 * MINUTE))
      expect(await records.sessions.findByHash('s')).toBeNull()
    })

    test('are listed newest first and deleted one by one or all but one, only by their user', async ({
      records,
      clock,
      ann,
      ben,
      session,
    }) => {
      const made = []
      for (const sha256 of ['1', '2', '3']) {
        clock.advance(1)
        made.unshift(await session(ben, sha256))
      }
      const other = await session(ann, 'a')
      expect(await records.sessions.list(ben)).toEqual(made)
      expect(await records.sessions.delete(ann, made[0]!.id)).toBe(false)
      expect(await records.sessions.delete(ben, made[0]!.id)).toBe(true)
      expect(await records.sessions.delete(ben, made[0]!.id)).toBe(false)
      expect(await records.sessions.deleteOthers(ben, made[1]!.id)).toBe(1)
      expect(await records.sessions.list(ben)).toEqual([made[1]])
      expect(await records.sessions.deleteOthers(ben, null)).toBe(1)
      expect(await records.sessions.list(ann)).toEqual([other])
    })
  })
}
