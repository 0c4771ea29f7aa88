import { type Kysely, sql as raw, type ExpressionBuilder } from 'kysely'
import type { AuditDetails, AuditFact } from '../../core/audit.ts'
import { newId } from '../../core/ids.ts'
import type { ApplicationRecord, Scope } from '../../core/model.ts'
import { type ApplicationSecret, type OAuthApplications, KEEP_UNUSED_MS, type OAuthRegistrations } from '../oauth.ts'
import type { OAuthApplicationRow, OAuthApplicationSecretRow, OAuthRegistrationRow } from './oauth-tables.ts'
import type { Store, WriteTransaction } from './store.ts'
import { dateOrNull, type Tables } from './tables.ts'
import { perDialect } from './per-dialect.ts'

export function createOAuthApplications(store: Store): OAuthApplications {
  const { db, clock, now } = store
  return {
    create: ({ ownerId, name, type, redirectUris, scopes, secret }) =>
      store.write(async (tx) => {
        const { sql } = tx
        const at = clock.now()
        const row: OAuthApplicationRow = {
          id: newId('app', at),
          owner_id: ownerId,
          name,
          type,
          redirect_uris: JSON.stringify(redirectUris),
          scopes: JSON.stringify(scopes),
          created_at: at.getTime(),
          updated_at: at.getTime(),
        }
        await sql.insertInto('oauth_clients').values(row).execute()
        if (secret !== null) await addSecret(sql, row.id, secret, now())
        await tx.record({ action: 'application.create', ...describe(row) })
        return (await withSecrets(sql, now(), [row]))[0]!
      }),
    async get(id) {
      const rows = await db.selectFrom('oauth_clients').selectAll().where('id', '=', id).execute()
      return (await withSecrets(db, now(), rows))[0] ?? null
    },
    async list(ownerId) {
      const rows = await db
        .selectFrom('oauth_clients')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      return withSecrets(db, now(), rows)
    },
    update: (ownerId, id, { name, redirectUris, scopes }) =>
      store.write(async (tx) => {
        const change = {
          ...(name === undefined ? {} : { name }),
          ...(redirectUris === undefined ? {} : { redirect_uris: JSON.stringify(redirectUris) }),
          ...(scopes === undefined ? {} : { scopes: JSON.stringify(scopes) }),
        }
        const rows = await tx.sql
          .updateTable('oauth_clients')
          .set({ ...change, updated_at: now() })
          .where('owner_id', '=', ownerId)
          .where('id', '=', id)
          .returningAll()
          .execute()
        for (const row of rows)
          await tx.record({ action: 'application.update', ...describe(row, { changed: Object.keys(change) }) })
        return (await withSecrets(tx.sql, now(), rows))[0] ?? null
      }),
    rotate: (ownerId, id, secret, oldUntil) =>
      store.write(async (tx) => {
        const { sql } = tx
        const row = await sql
          .updateTable('oauth_clients')
          .set({ updated_at: now() })
          .where('owner_id', '=', ownerId)
          .where('id', '=', id)
          .where('type', '=', 'confidential')
          .returningAll()
          .executeTakeFirst()
        if (!row) return null
        await replaceSecrets(sql, id, secret, { now: now(), oldUntil: oldUntil.getTime() })
        await tx.record({ action: 'application.rotate', ...describe(row, { last_four: secret.lastFour }) })
        return (await withSecrets(sql, now(), [row]))[0]!
      }),
    async hasSecret(id, sha256) {
      const row = await selectGoodSecrets(db, now()).where('client_id', '=', id).where('sha256', '=', sha256).executeTakeFirst()
      return row !== undefined
    },
    delete: (ownerId, id) => store.write(async (tx) => (await endApplications(tx, { owner_id: ownerId, id })) > 0),
  }
}

/** Deletes applications with every code, device code and grant that names them, of all users. Returns how many applications. */
export async function endApplications(tx: WriteTransaction, of: { owner_id: string; id?: string }): Promise<number> {
  const { sql } = tx
  const applications = sql
    .selectFrom('oauth_clients')
    .select('oauth_clients.id')
    .where((e) => e.and(of))
  // These tables have no foreign key to the applications, because the built-in application has no row.
  for (const table of ['oauth_codes', 'oauth_device_codes', 'oauth_grants'] as const) {
    await sql.deleteFrom(table).where('client_id', 'in', applications).execute()
  }
  const deleted = await sql
    .deleteFrom('oauth_clients')
    .where((e) => e.and(of))
    .returningAll()
    .execute()
  for (const row of deleted) await tx.record({ action: 'application.delete', ...describe(row) })
  return deleted.length
}

/** Names an application in the audit log. */
function describe({ id, name, owner_id }: OAuthApplicationRow, more: AuditDetails = {}): Pick<AuditFact, 'userId' | 'details'> {
  return { userId: owner_id, details: { application: id, name, ...more } }
}

/** Selects secrets that have not expired. */
function selectGoodSecrets(sql: Kysely<Tables>, now: number) {
  return sql
    .selectFrom('oauth_client_secrets')
    .selectAll()
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
}

async function withSecrets(sql: Kysely<Tables>, now: number, rows: OAuthApplicationRow[]): Promise<ApplicationRecord[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const secrets = await selectGoodSecrets(sql, now)
    .where('client_id', 'in', ids)
    .orderBy('created_at', 'desc')
    // Of secrets of the same millisecond, the newer one expires later.
    .orderBy('expires_at', 'desc')
    .execute()
  const byApplication = Map.groupBy(secrets, (secret) => secret.client_id)
  return rows.map((row) => toApplication(row, byApplication.get(row.id) ?? []))
}

async function addSecret(sql: Kysely<Tables>, clientId: string, secret: ApplicationSecret, now: number): Promise<void> {
  const row = { client_id: clientId, sha256: secret.sha256, last_four: secret.lastFour, created_at: now, expires_at: null }
  await sql.insertInto('oauth_client_secrets').values(row).execute()
}

/** Adds a secret. Earlier ones expire at `oldUntil` or before. */
async function replaceSecrets(
  sql: Kysely<Tables>,
  clientId: string,
  secret: ApplicationSecret,
  { now, oldUntil }: { now: number; oldUntil: number },
): Promise<void> {
  await sql
    .updateTable('oauth_client_secrets')
    .set({ expires_at: oldUntil })
    .where('client_id', '=', clientId)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', oldUntil)]))
    .execute()
  await sql.deleteFrom('oauth_client_secrets').where('client_id', '=', clientId).where('expires_at', '<=', now).execute()
  await addSecret(sql, clientId, secret, now)
}

function toApplication(row: OAuthApplicationRow, secrets: OAuthApplicationSecretRow[]): ApplicationRecord {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    type: row.type,
    redirectUris: JSON.parse(row.redirect_uris) as string[],
    scopes: JSON.parse(row.scopes) as Scope[],
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    // The secret without an expiry is the newest one, also when two were created in the same millisecond.
    secrets: secrets
      .toSorted((a, b) => Number(a.expires_at !== null) - Number(b.expires_at !== null))
      .map((secret) => ({
        lastFour: secret.last_four,
        createdAt: new Date(secret.created_at),
        expiresAt: dateOrNull(secret.expires_at),
      })),
  }
}

export function createOAuthRegistrations(store: Store): OAuthRegistrations {
  const { db, clock } = store
  return {
    create: (application, maxUnused) =>
      store.write(async ({ sql }) => {
        const at = clock.now()
        const row = toRow({ id: newId('app', at), ...application }, at)
        await sql.insertInto('oauth_registrations').values(row).execute()
        const surplus = sql
          .selectFrom('oauth_registrations')
          .select('id')
          .where(isUnused)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(NO_LIMIT)
          .offset(maxUnused)
        await sql.deleteFrom('oauth_registrations').where('id', 'in', surplus).execute()
        return toRegistration(row)
      }),
    put: (application) =>
      store.write(async ({ sql }) => {
        const { id, ...values } = toRow(application, clock.now())
        await sql
          .insertInto('oauth_registrations')
          .values({ id, ...values })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
          .execute()
      }),
    async get(id) {
      const row = await db.selectFrom('oauth_registrations').selectAll().where('id', '=', id).executeTakeFirst()
      return row === undefined ? null : toRegistration(row)
    },
  }
}

/** SQLite has no `offset` without a `limit`. */
const NO_LIMIT = perDialect({ sqlite: raw<number>`-1`, postgres: raw<number>`all` })

/** Deletes registrations that are a day old and have never been used, or are no longer. Returns how many. */
export async function sweepRegistrations({ sql }: Pick<WriteTransaction, 'sql'>, now: number): Promise<bigint> {
  const result = await sql
    .deleteFrom('oauth_registrations')
    .where('created_at', '<=', now - KEEP_UNUSED_MS)
    .where(isUnused)
    .executeTakeFirst()
  return result.numDeletedRows
}

/** Selects registrations without a code, a device code or a grant. */
function isUnused(e: ExpressionBuilder<Tables, 'oauth_registrations'>) {
  const isNamedIn = (table: 'oauth_codes' | 'oauth_device_codes' | 'oauth_grants') =>
    e.exists(e.selectFrom(table).select('client_id').whereRef(`${table}.client_id`, '=', 'oauth_registrations.id'))
  return e.not(e.or([isNamedIn('oauth_codes'), isNamedIn('oauth_device_codes'), isNamedIn('oauth_grants')]))
}

function toRow(
  { id, name, redirectUris, scopes, grantTypes }: { id: string } & Parameters<OAuthRegistrations['create']>[0],
  at: Date,
): OAuthRegistrationRow {
  return {
    id,
    name,
    redirect_uris: JSON.stringify(redirectUris),
    scopes: JSON.stringify(scopes),
    created_at: at.getTime(),
    grant_types: grantTypes === undefined ? null : JSON.stringify(grantTypes),
  }
}

function toRegistration({ id, name, redirect_uris, scopes, created_at, grant_types }: OAuthRegistrationRow): ApplicationRecord {
  return {
    id,
    ownerId: null,
    name,
    type: 'public',
    redirectUris: JSON.parse(redirect_uris) as string[],
    scopes: JSON.parse(scopes) as Scope[],
    ...(grant_types !== null && { grantTypes: JSON.parse(grant_types) as string[] }),
    createdAt: new Date(created_at),
    updatedAt: new Date(created_at),
    secrets: [],
  }
}
