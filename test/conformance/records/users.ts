import { describe, expect } from 'vitest'
import { errorCode } from '../../support/codes.ts'
import type { AccountsTest } from './account-fixtures.ts'

export function usersConformance(test: AccountsTest): void {
  describe('users', () => {
    test('finds the owner, who has no password at first and is not disabled', async ({ records, ann, ben }) => {
      expect(await records.users.owner()).toMatchObject({ id: ann, hasPassword: false, disabledAt: null })
      expect(await records.users.get(ben)).toMatchObject({ name: 'Ben', email: 'ben@example.org', role: 'member' })
      expect(await records.users.get('usr_none')).toBeNull()
    })

    test('ignores case in email addresses, and shows them as they were given', async ({ records, ann, ben }) => {
      expect(await records.users.findByEmail('ann@EXAMPLE.org')).toMatchObject({ id: ann, email: 'Ann@Example.org' })
      expect(await records.users.findByEmail('ann@example.com')).toBeNull()
      await expect(records.users.create({ name: 'x', email: 'BEN@example.org', role: 'member' })).rejects.toMatchObject({
        code: errorCode('user_exists'),
      })
      await expect(records.users.update(ben, { email: 'aNN@example.org' })).rejects.toMatchObject({
        code: errorCode('user_exists'),
      })
      const accented = await records.users.create({ name: 'É', email: 'ÉMILE@example.org', role: 'member' })
      expect((await records.users.findByEmail('émile@example.org'))?.id).toBe(accented.id)
    })

    test('refuses a second owner', async ({ records, ann }) => {
      const second = { name: 'x', email: 'x@example.org', role: 'owner' } as const
      await expect(records.users.create(second)).rejects.toMatchObject({ code: errorCode('owner_exists') })
      expect(await records.users.findByEmail(second.email)).toBeNull()
      expect(await records.users.owner()).toMatchObject({ id: ann })
    })

    test('allows several users without an address', async ({ records }) => {
      await records.users.create({ name: 'x', email: null, role: 'member' })
      await records.users.create({ name: 'y', email: null, role: 'member' })
    })

    test('changes name and address independently, and returns null for an unknown user', async ({ records, ben }) => {
      expect(await records.users.update(ben, { name: 'Benjamin' })).toMatchObject({ name: 'Benjamin', email: 'ben@example.org' })
      expect(await records.users.update(ben, { email: 'BEN@example.org' })).toMatchObject({ email: 'BEN@example.org' })
      expect(await records.users.update(ben, {})).toMatchObject({ name: 'Benjamin', email: 'BEN@example.org' })
      expect(await records.users.update('usr_none', { name: 'x' })).toBeNull()
    })

    test('lists users oldest first, a result page at a time', async ({ records, ann, ben }) => {
      const first = await records.users.list({ limit: 1 })
      expect(first.items.map((user) => user.id)).toEqual([ann])
      const second = await records.users.list({ limit: 1, cursor: first.nextCursor! })
      expect(second).toMatchObject({ items: [{ id: ben }], nextCursor: null })
    })

    test('stores a password hash, and replaces another one only where that one is still stored', async ({
      records,
      ann,
      ben,
    }) => {
      expect(await records.users.passwordHash(ann)).toBeNull()
      await records.users.setPasswordHash(ann, 'one')
      expect(await records.users.passwordHash(ann)).toBe('one')
      expect(await records.users.get(ann)).toMatchObject({ hasPassword: true })
      await records.users.setPasswordHash(ann, 'two', 'zero')
      expect(await records.users.passwordHash(ann)).toBe('one')
      await records.users.setPasswordHash(ann, 'two', 'one')
      expect(await records.users.passwordHash(ann)).toBe('two')
      expect(await records.users.passwordHash(ben)).toBeNull()
    })
  })
}
