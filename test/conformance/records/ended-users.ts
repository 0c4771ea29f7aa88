import { describe, expect } from 'vitest'
import { errorCode } from '../../support/codes.ts'
import { MINUTE } from './account-fixtures.ts'
import type { AccountsTest } from './account-fixtures.ts'
import { visibleTo } from '../../support/visible.ts'

/** Tests of what is left of a user who is disabled or deleted. */
export function endedUsersConformance(test: AccountsTest): void {
  describe('a disabled user', () => {
    test('has keys that are not found, and no sessions or links', async ({ records, clock, ann, ben, session, link, key }) => {
      await Promise.all([key(ben, 'k-ben'), key(ann, 'k-ann'), session(ben, 's-ben'), session(ann, 's-ann'), link(ben, 'l-ben')])
      const disabled = await records.users.setDisabled(ben, true)
      expect(disabled?.disabledAt).toEqual(clock.now())
      expect(await records.keys.findByHash('k-ben')).toBeNull()
      expect(await records.sessions.findByHash('s-ben')).toBeNull()
      expect(await records.links.find('l-ben')).toBeNull()
      expect(await records.links.claim('l-ben', { passwordHash: 'h' })).toBeNull()
      expect(await records.keys.findByHash('k-ann')).not.toBeNull()
      expect(await records.sessions.findByHash('s-ann')).not.toBeNull()
    })

    test('cannot use a session or link that is created afterwards', async ({ records, ben, session, link }) => {
      await records.users.setDisabled(ben, true)
      await session(ben, 's')
      await link(ben, 'l')
      expect(await records.sessions.findByHash('s')).toBeNull()
      expect(await records.links.find('l')).toBeNull()
      expect(await records.links.claim('l', { passwordHash: 'h' })).toBeNull()
    })

    test('has the keys again when enabled, but not the sessions', async ({ records, clock, ben, session, key }) => {
      await key(ben, 'k')
      await session(ben, 's')
      const first = await records.users.setDisabled(ben, true)
      clock.advance(MINUTE)
      expect((await records.users.setDisabled(ben, true))?.disabledAt).toEqual(first?.disabledAt)
      expect(await records.users.setDisabled(ben, false)).toMatchObject({ disabledAt: null })
      expect(await records.keys.findByHash('k')).not.toBeNull()
      expect(await records.sessions.findByHash('s')).toBeNull()
    })

    test('is never the owner', async ({ records, ann, session }) => {
      await session(ann, 's')
      await expect(records.users.setDisabled(ann, true)).rejects.toMatchObject({ code: errorCode('owner_stays') })
      expect(await records.users.get(ann)).toMatchObject({ disabledAt: null })
      expect(await records.sessions.findByHash('s')).not.toBeNull()
      expect(await records.users.setDisabled('usr_none', true)).toBeNull()
    })
  })

  describe('a deleted user', () => {
    test('leaves tombstones of documents and nothing else', async ({ records, ben, session, link, key, document }) => {
      const { id, projectId } = await document(ben)
      await Promise.all([key(ben, 'k'), session(ben, 's'), link(ben, 'l')])
      expect(await records.users.delete(ben)).toEqual({ documentIds: [id] })
      expect(await records.queue.tombstones()).toEqual([id])
      expect(await records.users.get(ben)).toBeNull()
      expect(await records.documents.get(await visibleTo(records, ben), id)).toBeNull()
      expect(await records.projects.get(projectId)).toBeNull()
      expect(await records.documents.isBlobReferenced('f'.repeat(64))).toBe(false)
      expect(await records.events.since(await visibleTo(records, ben), 0, 10)).toEqual([])
      expect(await records.keys.findByHash('k')).toBeNull()
      expect(await records.sessions.findByHash('s')).toBeNull()
      expect(await records.links.find('l')).toBeNull()
      expect(await records.users.delete(ben)).toBeNull()
    })

    test('is never the owner, whose documents stay', async ({ records, ann, document }) => {
      const { id } = await document(ann)
      await expect(records.users.delete(ann)).rejects.toMatchObject({ code: errorCode('owner_stays') })
      expect(await records.documents.get(await visibleTo(records, ann), id)).not.toBeNull()
      expect(await records.queue.tombstones()).toEqual([])
    })

    test('frees the address', async ({ records, ben }) => {
      await records.users.delete(ben)
      await records.users.create({ name: 'Ben', email: 'ben@example.org', role: 'member' })
    })
  })
}
