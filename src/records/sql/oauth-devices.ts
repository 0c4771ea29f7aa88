import { sql } from 'kysely'
import { limitFact } from '../../core/audit.ts'
import type { Scope } from '../../core/model.ts'
import { SLOW_DOWN_SECONDS } from '../oauth-devices.ts'
import type { DeviceRecord, OAuthDevices } from '../oauth-devices.ts'
import { makeGrant } from './oauth-grants.ts'
import type { OAuthDeviceCodeRow } from './oauth-tables.ts'
import type { Store, WriteTransaction } from './store.ts'
import { dateOrNull, limitColumn, limitOf } from './tables.ts'
import { activeUsers } from './user-rows.ts'

export function createOAuthDevices(store: Store): OAuthDevices {
  const { db, clock, now } = store
  return {
    async create({ deviceSha256, userSha256, clientId, scopes, resource, expiresAt, intervalSeconds }) {
      await db
        .insertInto('oauth_device_codes')
        .values({
          device_sha256: deviceSha256,
          user_sha256: userSha256,
          client_id: clientId,
          scopes: JSON.stringify(scopes),
          projects: null,
          resource,
          status: 'pending',
          user_id: null,
          created_at: now(),
          expires_at: expiresAt.getTime(),
          interval_seconds: intervalSeconds,
          last_polled_at: null,
        })
        .execute()
    },
    async findByUserCode(userSha256) {
      const row = await db
        .selectFrom('oauth_device_codes')
        .selectAll()
        .where('user_sha256', '=', userSha256)
        .where('status', '=', 'pending')
        .where('expires_at', '>', now())
        .executeTakeFirst()
      return row ? toDevice(row) : null
    },
    decide: (userSha256, { userId, approve, projectIds }) =>
      store.write(async (tx) => {
        const decided = await tx.sql
          .updateTable('oauth_device_codes')
          .set({ status: approve ? 'approved' : 'denied', user_id: userId, projects: limitColumn(projectIds) })
          .where('user_sha256', '=', userSha256)
          .where('status', '=', 'pending')
          .where('expires_at', '>', now())
          .returning(['client_id', 'scopes'])
          .executeTakeFirst()
        if (decided === undefined) return false
        const details = {
          application: decided.client_id,
          scopes: JSON.parse(decided.scopes) as Scope[],
          ...limitFact(projectIds),
        }
        if (approve) await tx.record({ action: 'consent.give', userId, details })
        return true
      }),
    async find(deviceSha256) {
      const row = await db
        .selectFrom('oauth_device_codes')
        .selectAll()
        .where('device_sha256', '=', deviceSha256)
        .executeTakeFirst()
      return row ? toDevice(row) : null
    },
    poll: (deviceSha256) => store.write((tx) => poll(tx, now(), deviceSha256)),
    redeem: (deviceSha256, tokens) =>
      store.write(async ({ sql }) => {
        // One statement, so that of several attempts at the same time one succeeds.
        const row = await sql
          .updateTable('oauth_device_codes')
          .set({ status: 'redeemed' })
          .where('device_sha256', '=', deviceSha256)
          .where('status', '=', 'approved')
          .where('expires_at', '>', now())
          .where('user_id', 'in', activeUsers(sql))
          .returningAll()
          .executeTakeFirst()
        if (!row || row.user_id === null) return null
        return makeGrant(sql, { ...row, user_id: row.user_id }, tokens, clock.now())
      }),
  }
}

async function poll(tx: WriteTransaction, now: number, deviceSha256: string): Promise<boolean> {
  const tooSoon = await tx.sql
    .updateTable('oauth_device_codes')
    .set({ interval_seconds: sql<number>`interval_seconds + ${SLOW_DOWN_SECONDS}` })
    .where('device_sha256', '=', deviceSha256)
    .where(sql<number>`last_polled_at + interval_seconds * 1000`, '>', now)
    .executeTakeFirst()
  await tx.sql.updateTable('oauth_device_codes').set({ last_polled_at: now }).where('device_sha256', '=', deviceSha256).execute()
  return tooSoon.numUpdatedRows > 0n
}

function toDevice(row: OAuthDeviceCodeRow): DeviceRecord {
  return {
    clientId: row.client_id,
    scopes: JSON.parse(row.scopes) as Scope[],
    projectIds: limitOf(row),
    resource: row.resource,
    status: row.status,
    userId: row.user_id,
    expiresAt: new Date(row.expires_at),
    intervalSeconds: row.interval_seconds,
    lastPolledAt: dateOrNull(row.last_polled_at),
  }
}
