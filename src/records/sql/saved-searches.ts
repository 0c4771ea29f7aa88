import { newId } from '../../core/ids.ts'
import type { SavedSearchRecord } from '../../core/model.ts'
import { savedSearchExists, tooManySavedSearches } from '../errors.ts'
import type { NewSavedSearch, SavedSearches } from '../saved-searches.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { SavedSearchRow } from './tables.ts'

export function createSavedSearches(store: Store): SavedSearches {
  const { db, clock } = store
  return {
    async create(search) {
      const { userId, name, parameters } = search
      const at = clock.now()
      const row: SavedSearchRow = { id: newId('sea', at), user_id: userId, name, parameters, created_at: at.getTime() }
      await store.write(async (tx) => {
        await requireRoom(tx, search)
        await tx.sql.insertInto('saved_searches').values(row).execute()
        await tx.record({ action: 'saved_search.create', userId, details: { saved_search: row.id } })
      })
      return toRecord(row)
    },
    async list(userId) {
      const query = db.selectFrom('saved_searches').selectAll().where('user_id', '=', userId)
      return (await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map(toRecord)
    },
    async get(userId, id) {
      const query = db.selectFrom('saved_searches').selectAll().where('id', '=', id).where('user_id', '=', userId)
      const row = await query.executeTakeFirst()
      return row === undefined ? null : toRecord(row)
    },
    rename: (userId, id, name) =>
      store.write(async (tx) => {
        const query = tx.sql.updateTable('saved_searches').set({ name }).where('id', '=', id).where('user_id', '=', userId)
        const row = await query.returningAll().executeTakeFirst()
        if (row === undefined) return null
        await tx.record({ action: 'saved_search.update', userId, details: { saved_search: id } })
        return toRecord(row)
      }),
    delete: (userId, id) =>
      store.write(async (tx) => {
        const query = tx.sql.deleteFrom('saved_searches').where('id', '=', id).where('user_id', '=', userId)
        if ((await query.returning('id').executeTakeFirst()) === undefined) return false
        await tx.record({ action: 'saved_search.delete', userId, details: { saved_search: id } })
        return true
      }),
  }
}

async function requireRoom({ sql }: WriteTransaction, { userId, parameters, maxSearches }: NewSavedSearch): Promise<void> {
  const own = await sql.selectFrom('saved_searches').select(['id', 'parameters']).where('user_id', '=', userId).execute()
  const same = own.find((row) => row.parameters === parameters)
  if (same !== undefined) throw savedSearchExists(same.id)
  if (own.length >= maxSearches) throw tooManySavedSearches(maxSearches)
}

function toRecord({ id, name, parameters, created_at: createdAt }: SavedSearchRow): SavedSearchRecord {
  return { id, name, parameters, createdAt: new Date(createdAt) }
}
