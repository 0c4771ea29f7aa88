import { newId } from '../../core/ids.ts'
import type { SessionRecord } from '../../core/model.ts'
import { TOUCH_INTERVAL_MS } from '../rules.ts'
import type { Sessions } from '../sessions.ts'
import { findHashes } from './store.ts'
import type { Store } from './store.ts'
import type { SessionRow } from './tables.ts'
import { activeUsers, toUser } from './user-rows.ts'

export function createSessions({ db, clock, now, write }: Store): Sessions {
  const selectLive = () => db.selectFrom('sessions').where('expires_at', '>', now())
  return {
    async create({ userId, sha256, userAgent, address, expiresAt }) {
      const at = clock.now()
      const row: SessionRow = {
        id: newId('ses', at),
        user_id: userId,
        sha256,
        user_agent: userAgent,
        address,
        created_at: at.getTime(),
        last_seen_at: at.getTime(),
        expires_at: expiresAt.getTime(),
      }
      await write(async (tx) => {
        await tx.sql.insertInto('sessions').values(row).execute()
        await tx.sql.updateTable('users').set({ last_login_at: at.getTime() }).where('id', '=', userId).execute()
        await tx.record({ action: 'user.login', actorId: userId, userId, details: { session: row.id, user_agent: userAgent } })
      })
      return toSession(row)
    },
    async findByHash(sha256) {
      const session = await selectLive().selectAll().where('sha256', '=', sha256).executeTakeFirst()
      if (!session) return null
      const user = await db
        .selectFrom('users')
        .selectAll()
        .where('id', '=', session.user_id)
        .where('disabled_at', 'is', null)
        .executeTakeFirst()
      return user ? { session: toSession(session), user: toUser(user) } : null
    },
    findValid: (sha256s) =>
      findHashes(sha256s, (part) =>
        selectLive().select('sha256').where('sha256', 'in', part).where('user_id', 'in', activeUsers(db)).execute(),
      ),
    async touch(id, expiresAt) {
      await db
        .updateTable('sessions')
        .set({ last_seen_at: now(), expires_at: expiresAt.getTime() })
        .where('id', '=', id)
        .where('last_seen_at', '<=', now() - TOUCH_INTERVAL_MS)
        .where('expires_at', '>', now())
        .execute()
    },
    async list(userId) {
      const rows = await selectLive()
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      return rows.map(toSession)
    },
    delete: (userId, id) =>
      write(async (tx) => {
        const gone = await tx.sql.deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id).executeTakeFirst()
        if (gone.numDeletedRows === 0n) return false
        await tx.record({ action: 'user.logout', userId, details: { session: id } })
        return true
      }),
    deleteOthers: (userId, exceptId) =>
      write(async (tx) => {
        let query = tx.sql.deleteFrom('sessions').where('user_id', '=', userId)
        if (exceptId !== null) query = query.where('id', '!=', exceptId)
        const sessions = Number((await query.executeTakeFirst()).numDeletedRows)
        if (sessions > 0) await tx.record({ action: 'user.logout', userId, details: { sessions } })
        return sessions
      }),
    async sweep() {
      const gone = await write((tx) => tx.sql.deleteFrom('sessions').where('expires_at', '<=', now()).executeTakeFirst())
      return Number(gone.numDeletedRows)
    },
  }
}

function toSession(row: SessionRow): SessionRecord {
  return {
    id: row.id,
    userId: row.user_id,
    userAgent: row.user_agent,
    address: row.address,
    createdAt: new Date(row.created_at),
    lastSeenAt: new Date(row.last_seen_at),
    expiresAt: new Date(row.expires_at),
  }
}
