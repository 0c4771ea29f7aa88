import type { OneTimeLinks } from '../links.ts'
import type { Store } from './store.ts'
import { activeUsers, emailColumns, orUserExists, toUser } from './user-rows.ts'

export function createOneTimeLinks(store: Store): OneTimeLinks {
  const { db, now } = store
  return {
    create: ({ userId, purpose, sha256, expiresAt }) =>
      store.write(async (tx) => {
        const row = { sha256, user_id: userId, purpose, created_at: now(), expires_at: expiresAt.getTime(), used_at: null }
        await tx.sql.insertInto('one_time_links').values(row).execute()
        const action = purpose === 'reset' ? 'user.reset' : 'user.invite'
        await tx.record({ action, userId, details: { expires_at: expiresAt.toISOString() } })
      }),
    async find(sha256) {
      const row = await db
        .selectFrom('one_time_links')
        .selectAll()
        .where('sha256', '=', sha256)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now())
        .where('user_id', 'in', activeUsers(db))
        .executeTakeFirst()
      return row ? { userId: row.user_id, purpose: row.purpose, expiresAt: new Date(row.expires_at) } : null
    },
    claim: (sha256, { passwordHash, email, name }) =>
      store.write(async (tx) => {
        const { sql } = tx
        // One statement, so that of several attempts at the same time one succeeds.
        const link = await sql
          .updateTable('one_time_links')
          .set({ used_at: now() })
          .where('sha256', '=', sha256)
          .where('used_at', 'is', null)
          .where('expires_at', '>', now())
          .where('user_id', 'in', activeUsers(sql))
          .returning(['user_id', 'purpose'])
          .executeTakeFirst()
        if (!link) return null
        const change = {
          password_hash: passwordHash,
          ...(name === undefined ? {} : { name }),
          ...(email === undefined ? {} : emailColumns(email)),
        }
        const user = await orUserExists(email, () =>
          sql.updateTable('users').set(change).where('id', '=', link.user_id).returningAll().executeTakeFirstOrThrow(),
        )
        await sql.deleteFrom('one_time_links').where('user_id', '=', user.id).where('used_at', 'is', null).execute()
        await sql.deleteFrom('sessions').where('user_id', '=', user.id).execute()
        await tx.record({ action: 'user.password', actorId: user.id, userId: user.id, details: { link: link.purpose } })
        return toUser(user)
      }),
    async revokeAll(userId) {
      await db.deleteFrom('one_time_links').where('user_id', '=', userId).where('used_at', 'is', null).execute()
    },
    async sweep() {
      const gone = await db.deleteFrom('one_time_links').where('expires_at', '<=', now()).executeTakeFirst()
      return Number(gone.numDeletedRows)
    },
  }
}
