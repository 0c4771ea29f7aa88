import { newId } from '../../core/ids.ts'
import type { User } from '../../core/model.ts'
import type { SetupTokens, Users } from '../records.ts'
import type { Store } from './store.ts'
import type { UserRow } from './tables.ts'

export function createUsers(store: Store): Users {
  const { db, clock } = store
  return {
    async create({ name, email, role }) {
      const now = clock.now()
      const row = { id: newId('usr', now), name, email, role, password_hash: null, created_at: now.getTime() }
      await db.insertInto('users').values(row).execute()
      return toUser(row)
    },
    async get(id) {
      const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toUser(row) : null
    },
    async owner() {
      const row = await db
        .selectFrom('users')
        .selectAll()
        .where('role', '=', 'owner')
        .orderBy('created_at')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst()
      return row ? toUser(row) : null
    },
    async hasPassword(id) {
      const row = await db.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst()
      return row !== undefined && row.password_hash !== null
    },
  }
}

function toUser(row: UserRow): User {
  return { id: row.id, email: row.email, name: row.name, role: row.role, createdAt: new Date(row.created_at) }
}

export function createSetupTokens(store: Store): SetupTokens {
  const { db, now } = store
  return {
    async create({ userId, sha256, expiresAt }) {
      const row = { sha256, user_id: userId, created_at: now(), expires_at: expiresAt.getTime(), used_at: null }
      await db.insertInto('setup_tokens').values(row).execute()
    },
    async claim(sha256) {
      // One statement: of two who come at once, one gets it. It stays dead when the answer never arrives.
      const row = await db
        .updateTable('setup_tokens')
        .set({ used_at: now() })
        .where('sha256', '=', sha256)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now())
        .returning('user_id')
        .executeTakeFirst()
      return row ? { userId: row.user_id } : null
    },
    async revokeAll(userId) {
      await db.deleteFrom('setup_tokens').where('user_id', '=', userId).where('used_at', 'is', null).execute()
    },
  }
}
