import { isDocsearchError } from '../../core/errors.ts'
import { foldName } from '../../core/fold-name.ts'
import { newId } from '../../core/ids.ts'
import type { User } from '../../core/model.ts'
import { ownerExists, ownerStays } from '../errors.ts'
import { decodeCursor, resultPage } from '../result-page.ts'
import type { ListRequest, ResultPage } from '../result-page.ts'
import type { Users } from '../users.ts'
import { addTombstones } from './document-changes.ts'
import { giveOwner, moveTo } from './members.ts'
import { endApplications } from './oauth-applications.ts'
import { endGrants } from './oauth-grants.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { UserRow } from './tables.ts'
import { readTotals, readUsage } from './counts.ts'
import { emailColumns, orUserExists, quotaColumns, toUser } from './user-rows.ts'

export function createUsers(store: Store): Users {
  const { db, now } = store
  return {
    create: (user) => create(store, user),
    async get(id) {
      const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toUser(row) : null
    },
    owner: () => findOwner(store),
    async findByEmail(email) {
      const row = await db.selectFrom('users').selectAll().where('email_folded', '=', foldName(email)).executeTakeFirst()
      return row ? toUser(row) : null
    },
    list: (request) => list(store, request),
    usage: (ids) => readUsage(db, ids),
    totals: () => readTotals(db),
    update: (id, change) => store.write((tx) => update(tx, id, change)),
    async passwordHash(id) {
      const row = await db.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst()
      return row?.password_hash ?? null
    },
    setPasswordHash: (id, phc, replacing) =>
      store.write(async (tx) => {
        let query = tx.sql.updateTable('users').set({ password_hash: phc }).where('id', '=', id)
        if (replacing !== undefined) query = query.where('password_hash', '=', replacing)
        const { numUpdatedRows } = await query.executeTakeFirst()
        // Otherwise the password stays the same, and only its hash changes.
        if (replacing === undefined && numUpdatedRows > 0n) await tx.record({ action: 'user.password', userId: id })
      }),
    setDisabled: (id, isDisabled) => store.write((tx) => setDisabled(tx, now(), id, isDisabled)),
    delete: (id) => store.write((tx) => deleteUser(tx, now(), id)),
  }
}

async function create(store: Store, { name, email, role }: Pick<User, 'name' | 'email' | 'role'>): Promise<User> {
  const at = store.clock.now()
  const row: UserRow = {
    id: newId('usr', at),
    ...emailColumns(email),
    name,
    role,
    password_hash: null,
    created_at: at.getTime(),
    disabled_at: null,
    last_login_at: null,
    quota_documents: null,
    quota_bytes: null,
    quota_passages: null,
  }
  try {
    await store.write(async (tx) => {
      await orUserExists(email, () => tx.sql.insertInto('users').values(row).execute())
      await tx.record({ action: 'user.create', userId: row.id, details: { role } })
    })
  } catch (error) {
    // Databases name the constraint that was violated in different ways, so this looks for an owner instead.
    if (role === 'owner' && isDocsearchError(error, 'user_exists') && (await findOwner(store)) !== null) throw ownerExists()
    throw error
  }
  return toUser(row)
}

async function update(
  tx: WriteTransaction,
  id: string,
  { name, email, quotas }: Parameters<Users['update']>[1],
): Promise<User | null> {
  const { sql } = tx
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : emailColumns(email)),
    ...quotaColumns(quotas),
  }
  const former = await sql.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
  if (former === undefined || Object.keys(change).length === 0) return former ? toUser(former) : null
  const changed = (Object.keys(change) as (keyof typeof change)[]).filter(
    (column) => column !== 'email_folded' && change[column] !== former[column],
  )
  if (changed.length > 0)
    await tx.record({
      action: 'user.update',
      userId: id,
      details: {
        changed,
        ...(changed.includes('name') && { name: change.name ?? null }),
        ...(changed.includes('email') && { email: change.email ?? null }),
      },
    })
  const row = await orUserExists(email, () =>
    sql.updateTable('users').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
  )
  return toUser(row)
}

async function findOwner({ db }: Store): Promise<User | null> {
  const row = await db.selectFrom('users').selectAll().where('role', '=', 'owner').executeTakeFirst()
  return row ? toUser(row) : null
}

async function list({ db }: Store, { limit, cursor }: ListRequest): Promise<ResultPage<User>> {
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
  return resultPage(rows, limit, (row) => ({ value: row.created_at, id: row.id }), toUser)
}

async function setDisabled(tx: WriteTransaction, now: number, id: string, isDisabled: boolean): Promise<User | null> {
  const { sql } = tx
  const former = await sql.selectFrom('users').select('disabled_at').where('id', '=', id).executeTakeFirst()
  const row = await sql
    .updateTable('users')
    .set((e) => ({ disabled_at: isDisabled ? e.fn.coalesce('disabled_at', e.val(now)) : null }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!row) return null
  if (isDisabled) {
    if (row.role === 'owner') throw ownerStays()
    await sql.deleteFrom('sessions').where('user_id', '=', id).execute()
    await sql.deleteFrom('one_time_links').where('user_id', '=', id).execute()
    await endGrants(sql, { user_id: id }, now)
  }
  if (isDisabled !== (former?.disabled_at !== null))
    await tx.record({ action: isDisabled ? 'user.disable' : 'user.enable', userId: id })
  return toUser(row)
}

async function deleteUser(tx: WriteTransaction, now: number, id: string): Promise<{ documentIds: string[] } | null> {
  const { sql } = tx
  const user = await sql.selectFrom('users').select('role').where('id', '=', id).executeTakeFirst()
  if (!user) return null
  if (user.role === 'owner') throw ownerStays()
  await leaveProjects(tx, id)
  const rows = await sql.selectFrom('documents').select('id').where('owner_id', '=', id).execute()
  const documentIds = rows.map((row) => row.id)
  await tx.record({ action: 'user.delete', userId: id, details: { documents: documentIds.length } })
  await addTombstones(tx, documentIds, now)
  await endApplications(tx, { owner_id: id })
  // Foreign keys delete everything else that belongs to the user.
  await sql.deleteFrom('users').where('id', '=', id).execute()
  return { documentIds }
}

/**
 * Removes a user from all projects. Projects with another manager get that manager as their owner. Projects with other members but no manager
 * stay, with the owner of the instance as their owner, who is no member and sees no documents. Only private projects stay with the user.
 */
async function leaveProjects(tx: WriteTransaction, userId: string): Promise<void> {
  const { sql } = tx
  const left = await sql.deleteFrom('project_members').where('user_id', '=', userId).returning(['project_id', 'role']).execute()
  for (const { project_id, role } of left)
    await tx.record({ action: 'member.remove', projectId: project_id, userId, details: { role } })
  const owner = await sql.selectFrom('users').select('id').where('role', '=', 'owner').executeTakeFirst()
  const owned = await sql.selectFrom('projects').select('id').where('owner_id', '=', userId).execute()
  for (const { id: projectId } of owned) {
    if (owner === undefined || (await giveOwner(sql, projectId))) continue
    const member = await sql
      .selectFrom('project_members')
      .select('role')
      .where('project_id', '=', projectId)
      .limit(1)
      .executeTakeFirst()
    if (member !== undefined) await moveTo(sql, projectId, owner.id)
  }
}
