import type { Kysely } from 'kysely'
import { newId } from '../../core/ids.ts'
import type { GrantRecord, Scope } from '../../core/model.ts'
import type { NewTokens, OAuthGrants, TokenRecord } from '../oauth.ts'
import { TOUCH_INTERVAL_MS } from '../rules.ts'
import type { OAuthGrantRow } from './oauth-tables.ts'
import { findHashes, type Store } from './store.ts'
import { dateOrNull, limitOf, type Tables } from './tables.ts'
import { activeUsers } from './user-rows.ts'

export function createOAuthGrants(store: Store): OAuthGrants {
  const { db, now } = store
  const selectValid = () =>
    selectAccessTokens(db)
      .innerJoin('users', 'users.id', 'oauth_grants.user_id')
      .where('token.expires_at', '>', now())
      .where('oauth_grants.revoked_at', 'is', null)
      .where('users.disabled_at', 'is', null)
  return {
    async findToken(sha256) {
      const access = await selectAccessTokens(db).where('token.sha256', '=', sha256).executeTakeFirst()
      return access ? toToken(access) : findRefresh(db, sha256)
    },
    async findAccess(sha256) {
      const row = await selectValid().where('token.sha256', '=', sha256).executeTakeFirst()
      return row ? toToken(row) : null
    },
    findValidAccess: (sha256s) =>
      findHashes(sha256s, (part) => selectValid().select('token.sha256').where('token.sha256', 'in', part).execute()),
    refresh: (sha256, clientId, tokens) => store.write(({ sql }) => refresh(sql, now(), { sha256, clientId, tokens })),
    revoke: (grantId) =>
      store.write(async (tx) => {
        const row = await tx.sql
          .updateTable('oauth_grants')
          .set({ revoked_at: now() })
          .where('id', '=', grantId)
          .where('revoked_at', 'is', null)
          .returning(['user_id', 'client_id'])
          .executeTakeFirst()
        if (row === undefined) return false
        await tx.record({ action: 'consent.withdraw', userId: row.user_id, details: { application: row.client_id } })
        return true
      }),
    revokeAll: (userId, clientId) =>
      store.write(async (tx) => {
        const ended = await endGrants(tx.sql, { user_id: userId, client_id: clientId }, now())
        if (ended > 0) await tx.record({ action: 'consent.withdraw', userId, details: { application: clientId } })
        return ended
      }),
    list: (userId) => list(db, now(), userId),
    async touch(grantId) {
      await db
        .updateTable('oauth_grants')
        .set({ last_used_at: now() })
        .where('id', '=', grantId)
        .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', now() - TOUCH_INTERVAL_MS)]))
        .execute()
    },
  }
}

/** Selects access tokens with their grants. Both have scopes. */
function selectAccessTokens(db: Kysely<Tables>) {
  return db
    .selectFrom('oauth_access_tokens as token')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'token.grant_id')
    .selectAll('oauth_grants')
    .select(['token.scopes as token_scopes', 'token.created_at as token_created_at', 'token.expires_at as token_expires_at'])
}

async function findRefresh(db: Kysely<Tables>, sha256: string): Promise<TokenRecord | null> {
  const row = await db
    .selectFrom('oauth_refresh_tokens as token')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'token.grant_id')
    .selectAll('oauth_grants')
    .select(['token.used_at', 'token.successor', 'token.created_at as token_created_at', 'token.expires_at as token_expires_at'])
    .where('token.sha256', '=', sha256)
    .executeTakeFirst()
  if (!row) return null
  const { used_at: usedAt, successor } = row
  const exchanged = usedAt === null || successor === null ? null : { sealed: successor, at: new Date(usedAt) }
  return { ...toToken({ ...row, token_scopes: row.scopes }), kind: 'refresh', isUsed: usedAt !== null, successor: exchanged }
}

async function refresh(
  sql: Kysely<Tables>,
  now: number,
  { sha256, clientId, tokens }: { sha256: string; clientId: string; tokens: NewTokens },
): Promise<GrantRecord | null> {
  // One statement, so that of several attempts at the same time one succeeds.
  const used = await sql
    .updateTable('oauth_refresh_tokens')
    .set({ used_at: now, successor: tokens.sealed ?? null })
    .where('sha256', '=', sha256)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .where((e) =>
      e.exists(
        e
          .selectFrom('oauth_grants')
          .select('oauth_grants.id')
          .whereRef('oauth_grants.id', '=', 'oauth_refresh_tokens.grant_id')
          .where('client_id', '=', clientId)
          .where('revoked_at', 'is', null)
          .where('user_id', 'in', activeUsers(sql)),
      ),
    )
    .returning('grant_id')
    .executeTakeFirst()
  if (!used) return null
  await sql
    .updateTable('oauth_access_tokens')
    .set({ expires_at: now })
    .where('grant_id', '=', used.grant_id)
    .where('expires_at', '>', now)
    .execute()
  await addTokens(sql, used.grant_id, tokens, now)
  const row = await sql.selectFrom('oauth_grants').selectAll().where('id', '=', used.grant_id).executeTakeFirstOrThrow()
  return toGrant(row)
}

async function list(db: Kysely<Tables>, now: number, userId: string): Promise<GrantRecord[]> {
  const rows = await db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where((e) =>
      e.or([
        e.exists(
          e
            .selectFrom('oauth_access_tokens as a')
            .select('a.grant_id')
            .whereRef('a.grant_id', '=', 'oauth_grants.id')
            .where('a.expires_at', '>', now),
        ),
        e.exists(
          e
            .selectFrom('oauth_refresh_tokens as r')
            .select('r.grant_id')
            .whereRef('r.grant_id', '=', 'oauth_grants.id')
            .where('r.expires_at', '>', now)
            .where('r.used_at', 'is', null),
        ),
      ]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toGrant)
}

/** Makes the grant that a code or a device code was exchanged for, with its first tokens. */
export async function makeGrant(
  sql: Kysely<Tables>,
  consent: Pick<OAuthGrantRow, 'user_id' | 'client_id' | 'scopes' | 'projects' | 'resource'>,
  tokens: NewTokens,
  at: Date,
): Promise<GrantRecord> {
  const { user_id, client_id, scopes, projects, resource } = consent
  const row: OAuthGrantRow = {
    id: newId('gnt', at),
    user_id,
    client_id,
    scopes,
    projects,
    resource: resource ?? tokens.resource ?? null,
    created_at: at.getTime(),
    last_used_at: null,
    revoked_at: null,
  }
  await sql.insertInto('oauth_grants').values(row).execute()
  await addTokens(sql, row.id, tokens, at.getTime())
  return toGrant(row)
}

/** Revokes grants, and deletes codes that could still become one. Returns how many grants. */
export async function endGrants(sql: Kysely<Tables>, of: { user_id: string; client_id?: string }, now: number): Promise<number> {
  await sql
    .deleteFrom('oauth_codes')
    .where('used_at', 'is', null)
    .where((e) => e.and(of))
    .execute()
  await sql
    .deleteFrom('oauth_device_codes')
    .where('status', '!=', 'redeemed')
    .where((e) => e.and(of))
    .execute()
  const ended = await sql
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where((e) => e.and(of))
    .executeTakeFirst()
  return Number(ended.numUpdatedRows)
}

async function addTokens(sql: Kysely<Tables>, grantId: string, tokens: NewTokens, now: number): Promise<void> {
  const { access, refresh, scopes } = tokens
  await sql
    .insertInto('oauth_access_tokens')
    .values({
      sha256: access.sha256,
      grant_id: grantId,
      scopes: JSON.stringify(scopes),
      created_at: now,
      expires_at: access.expiresAt.getTime(),
    })
    .execute()
  if (refresh === null) return
  await sql
    .insertInto('oauth_refresh_tokens')
    .values({
      sha256: refresh.sha256,
      grant_id: grantId,
      created_at: now,
      expires_at: refresh.expiresAt.getTime(),
      used_at: null,
      successor: null,
    })
    .execute()
}

function toToken(row: OAuthGrantRow & { token_scopes: string; token_created_at: number; token_expires_at: number }): TokenRecord {
  return {
    kind: 'access',
    grant: toGrant(row),
    scopes: JSON.parse(row.token_scopes) as Scope[],
    createdAt: new Date(row.token_created_at),
    expiresAt: new Date(row.token_expires_at),
    isUsed: false,
    successor: null,
  }
}

function toGrant(row: OAuthGrantRow): GrantRecord {
  return {
    id: row.id,
    userId: row.user_id,
    clientId: row.client_id,
    scopes: JSON.parse(row.scopes) as Scope[],
    projectIds: limitOf(row),
    resource: row.resource,
    createdAt: new Date(row.created_at),
    lastUsedAt: dateOrNull(row.last_used_at),
    revokedAt: dateOrNull(row.revoked_at),
  }
}
