import { limitFact } from '../../core/audit.ts'
import type { Scope } from '../../core/model.ts'
import {
  type OAuthCodes,
  KEEP_EXPIRED_MS,
  type OAuthRecords,
  SLOW_DOWN_SECONDS,
  type DeviceRecord,
  type OAuthDevices,
} from '../oauth.ts'
import { createOAuthApplications, createOAuthRegistrations, sweepRegistrations } from './oauth-applications.ts'
import { createOAuthGrants, makeGrant } from './oauth-grants.ts'
import type { Store, WriteTransaction } from './store.ts'
import { limitColumn, limitOf, dateOrNull } from './tables.ts'
import { activeUsers } from './user-rows.ts'
import { sql } from 'kysely'
import type { OAuthDeviceCodeRow } from './oauth-tables.ts'

export function createOAuthRecords(store: Store): OAuthRecords {
  return {
    applications: createOAuthApplications(store),
    registrations: createOAuthRegistrations(store),
    codes: createOAuthCodes(store),
    grants: createOAuthGrants(store),
    devices: createOAuthDevices(store),
    sweep: () => sweep(store),
  }
}

function sweep(store: Store): Promise<number> {
  const before = store.now() - KEEP_EXPIRED_MS
  return store.write(async ({ sql }) => {
    let deleted = 0n
    for (const table of ['oauth_codes', 'oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_device_codes'] as const) {
      deleted += (await sql.deleteFrom(table).where('expires_at', '<=', before).executeTakeFirst()).numDeletedRows
    }
    // Every grant starts with tokens. Without any left, it can never give access again.
    const grants = await sql
      .deleteFrom('oauth_grants')
      .where((e) =>
        e.not(
          e.exists(e.selectFrom('oauth_access_tokens as a').select('a.sha256').whereRef('a.grant_id', '=', 'oauth_grants.id')),
        ),
      )
      .where((e) =>
        e.not(
          e.exists(e.selectFrom('oauth_refresh_tokens as r').select('r.sha256').whereRef('r.grant_id', '=', 'oauth_grants.id')),
        ),
      )
      .executeTakeFirst()
    const secrets = await sql.deleteFrom('oauth_client_secrets').where('expires_at', '<=', before).executeTakeFirst()
    const registrations = await sweepRegistrations({ sql }, store.now())
    return Number(deleted + grants.numDeletedRows + secrets.numDeletedRows + registrations)
  })
}

function createOAuthCodes(store: Store): OAuthCodes {
  const { db, clock, now } = store
  return {
    create: ({ sha256, clientId, userId, redirectUri, scopes, projectIds, codeChallenge, resource, expiresAt }) =>
      store.write(async (tx) => {
        await tx.sql
          .insertInto('oauth_codes')
          .values({
            sha256,
            client_id: clientId,
            user_id: userId,
            redirect_uri: redirectUri,
            scopes: JSON.stringify(scopes),
            projects: limitColumn(projectIds),
            code_challenge: codeChallenge,
            resource,
            created_at: now(),
            expires_at: expiresAt.getTime(),
            used_at: null,
            grant_id: null,
          })
          .execute()
        await tx.record({ action: 'consent.give', userId, details: { application: clientId, scopes, ...limitFact(projectIds) } })
      }),
    async find(sha256) {
      const row = await db.selectFrom('oauth_codes').selectAll().where('sha256', '=', sha256).executeTakeFirst()
      if (!row) return null
      return {
        clientId: row.client_id,
        userId: row.user_id,
        redirectUri: row.redirect_uri,
        scopes: JSON.parse(row.scopes) as Scope[],
        projectIds: limitOf(row),
        codeChallenge: row.code_challenge,
        resource: row.resource,
        expiresAt: new Date(row.expires_at),
        grantId: row.grant_id,
      }
    },
    redeem: (sha256, tokens) =>
      store.write(async ({ sql }) => {
        // One statement, so that of several attempts at the same time one succeeds.
        const code = await sql
          .updateTable('oauth_codes')
          .set({ used_at: now() })
          .where('sha256', '=', sha256)
          .where('used_at', 'is', null)
          .where('expires_at', '>', now())
          .where('user_id', 'in', activeUsers(sql))
          .returningAll()
          .executeTakeFirst()
        if (!code) return null
        const grant = await makeGrant(sql, code, tokens, clock.now())
        await sql.updateTable('oauth_codes').set({ grant_id: grant.id }).where('sha256', '=', sha256).execute()
        return grant
      }),
  }
}

function createOAuthDevices(store: Store): OAuthDevices {
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
