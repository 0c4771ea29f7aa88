import { isDocsearchError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { Users } from '../users.ts'
import { decodeCursor, pageOf } from '../paging.ts'
import { ownerExists, ownerStays } from '../errors.ts'
import { foldName } from '../../core/fold-name.ts'
import { addTombstones } from './document-changes.ts'
import { endClients } from './oauth-clients.ts'
import { endGrants } from './oauth-grants.ts'
import type { Store } from './store.ts'
import type { UserRow } from './tables.ts'
import { emailColumns, orUserExists, toUser } from './user-rows.ts'

export function createUsers(store: Store): Users {
  const { db, clock, now } = store
  return {
    async create({ name, email, role }) {
      const at = clock.now()
      const row: UserRow = {
        id: newId('usr', at),
        ...emailColumns(email),
        name,
        role,
        password_hash: null,
        created_at: at.getTime(),
        disabled_at: null,
        last_login_at: null,
      }
      try {
        await orUserExists(email, () => db.insertInto('users').values(row).execute())
      } catch (error) {
        // Which of two constraints it was, every database says in words of its own.
        if (role === 'owner' && isDocsearchError(error, 'user_exists') && (await this.owner()) !== null) throw ownerExists()
        throw error
      }
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
    async findByEmail(email) {
      const row = await db.selectFrom('users').selectAll().where('email_folded', '=', foldName(email)).executeTakeFirst()
      return row ? toUser(row) : null
    },
    async list({ limit, cursor }) {
      let query = db.selectFrom('users').selectAll()
      if (cursor !== undefined) {
        const { value, id } = decodeCursor(cursor, 'number')
        query = query.where((e) => e(e.refTuple('created_at', 'id'), '>', e.tuple(value, id)))
      }
      const rows = await query
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit + 1)
        .execute()
      return pageOf(rows, limit, (row) => ({ value: row.created_at, id: row.id }), toUser)
    },
    async update(id, { name, email }) {
      const change = { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : emailColumns(email)) }
      const row = await orUserExists(email, () =>
        Object.keys(change).length === 0
          ? db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
          : db.updateTable('users').set(change).where('id', '=', id).returningAll().executeTakeFirst(),
      )
      return row ? toUser(row) : null
    },
    async passwordHash(id) {
      const row = await db.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst()
      return row?.password_hash ?? null
    },
    async setPasswordHash(id, phc, replacing) {
      let query = db.updateTable('users').set({ password_hash: phc }).where('id', '=', id)
      if (replacing !== undefined) query = query.where('password_hash', '=', replacing)
      await query.execute()
    },
    setDisabled: (id, disabled) =>
      store.write(async ({ sql }) => {
        const row = await sql
          .updateTable('users')
          .set((e) => ({ disabled_at: disabled ? e.fn.coalesce('disabled_at', e.val(now())) : null }))
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst()
        if (!row) return null
        if (disabled && row.role === 'owner') throw ownerStays()
        if (disabled) {
          await sql.deleteFrom('sessions').where('user_id', '=', id).execute()
          await sql.deleteFrom('one_time_links').where('user_id', '=', id).execute()
          await endGrants(sql, { user_id: id }, now())
        }
        return toUser(row)
      }),
    delete: (id) =>
      store.write(async (tx) => {
        const user = await tx.sql.selectFrom('users').select('role').where('id', '=', id).executeTakeFirst()
        if (!user) return null
        if (user.role === 'owner') throw ownerStays()
        const rows = await tx.sql.selectFrom('documents').select('id').where('owner_id', '=', id).execute()
        const documentIds = rows.map((row) => row.id)
        await addTombstones(tx, documentIds, now())
        await tx.sql.deleteFrom('events').where('owner_id', '=', id).execute()
        await endClients(tx.sql, { owner_id: id })
        // Everything else of the user's goes by foreign keys.
        await tx.sql.deleteFrom('users').where('id', '=', id).execute()
        return { documentIds }
      }),
  }
}
