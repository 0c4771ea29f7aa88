import { limitFact } from '../../core/audit.ts'
import { newId } from '../../core/ids.ts'
import type { ApiKeyRecord, KeyScope } from '../../core/model.ts'
import { tooManyKeys } from '../errors.ts'
import type { Keys } from '../keys.ts'
import { decodeCursor, resultPage } from '../result-page.ts'
import { TOUCH_INTERVAL_MS } from '../rules.ts'
import { findHashes } from './store.ts'
import type { Store, WriteTransaction } from './store.ts'
import { dateOrNull, limitColumn, limitOf } from './tables.ts'
import type { ApiKeyRow } from './tables.ts'

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
