import { limitFact } from '../../core/audit.ts'
import { newId } from '../../core/ids.ts'
import type { ApiKeyRecord, KeyScope, SessionRecord } from '../../core/model.ts'
import type { Keys, OneTimeLinks, Sessions } from '../credentials.ts'
import { tooManyKeys } from '../errors.ts'
import { decodeCursor, resultPage } from '../result-page.ts'
import { TOUCH_INTERVAL_MS } from '../rules.ts'
import { findHashes, type Store, type WriteTransaction } from './store.ts'
import { type ApiKeyRow, dateOrNull, limitColumn, limitOf, type SessionRow } from './tables.ts'
import { activeUsers, emailColumns, orUserExists, toUser } from './user-rows.ts'

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

export function createKeys(store: Store): Keys {
  const { db, clock, now } = store
  const selectValid = () =>
    db
      .selectFrom('api_keys')
      .innerJoin('users', 'users.id', 'api_keys.owner_id')
      .where('users.disabled_at', 'is', null)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now())]))
  return {
    async create({ ownerId, name, sha256, lastFour, scopes, projectIds, expiresAt, maxKeys }) {
      const at = clock.now()
      const row: ApiKeyRow = {
        id: newId('key', at),
        owner_id: ownerId,
        name,
        sha256,
        last_four: lastFour,
        scopes: JSON.stringify(scopes),
        projects: limitColumn(projectIds),
        created_at: at.getTime(),
        last_used_at: null,
        expires_at: expiresAt?.getTime() ?? null,
      }
      await store.write(async (tx) => {
        await makeRoom(tx, { ownerId, maxKeys, now: row.created_at })
        await tx.sql.insertInto('api_keys').values(row).execute()
        await tx.record({
          action: 'key.create',
          userId: ownerId,
          details: { ...describe(row), scopes, ...limitFact(projectIds) },
        })
      })
      return toKey(row)
    },
    async findByHash(sha256) {
      const row = await selectValid().selectAll('api_keys').where('sha256', '=', sha256).executeTakeFirst()
      return row ? toKey(row) : null
    },
    findValid: (sha256s) => findHashes(sha256s, (part) => selectValid().select('sha256').where('sha256', 'in', part).execute()),
    async touch(id) {
      await db
        .updateTable('api_keys')
        .set({ last_used_at: now() })
        .where('id', '=', id)
        .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', now() - TOUCH_INTERVAL_MS)]))
        .execute()
    },
    async list(ownerId, { limit, cursor }) {
      let query = db.selectFrom('api_keys').selectAll().where('owner_id', '=', ownerId)
      if (cursor !== undefined) {
        const { value, id } = decodeCursor(cursor, 'number')
        query = query.where((e) => e(e.refTuple('created_at', 'id'), '<', e.tuple(value, id)))
      }
      const rows = await query
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return resultPage(rows, limit, (row) => ({ value: row.created_at, id: row.id }), toKey)
    },
    delete: (ownerId, id) =>
      store.write(async (tx) => {
        const query = tx.sql.deleteFrom('api_keys').where('owner_id', '=', ownerId).where('id', '=', id)
        const gone = await query.returningAll().executeTakeFirst()
        if (gone === undefined) return false
        await tx.record({ action: 'key.revoke', userId: ownerId, details: describe(gone) })
        return true
      }),
  }
}

/** Deletes as many expired keys as necessary to make room for one more key. */
async function makeRoom(
  { sql }: WriteTransaction,
  { ownerId, maxKeys, now }: { ownerId: string; maxKeys: number; now: number },
): Promise<void> {
  const ofOwner = sql.selectFrom('api_keys').where('owner_id', '=', ownerId)
  const { keys } = await ofOwner.select((e) => e.fn.countAll<number>().as('keys')).executeTakeFirstOrThrow()
  const excess = Number(keys) + 1 - maxKeys
  if (excess <= 0) return
  const expired = await ofOwner.select('id').where('expires_at', '<=', now).orderBy('expires_at').limit(excess).execute()
  if (expired.length < excess) throw tooManyKeys(maxKeys)
  const ids = expired.map(({ id }) => id)
  await sql.deleteFrom('api_keys').where('id', 'in', ids).execute()
}

function describe({ id, name, last_four }: ApiKeyRow) {
  return { key: id, name, last_four }
}

function toKey(row: ApiKeyRow): ApiKeyRecord {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    scopes: JSON.parse(row.scopes) as KeyScope[],
    projectIds: limitOf(row),
    lastFour: row.last_four,
    createdAt: new Date(row.created_at),
    lastUsedAt: dateOrNull(row.last_used_at),
    expiresAt: dateOrNull(row.expires_at),
  }
}

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
