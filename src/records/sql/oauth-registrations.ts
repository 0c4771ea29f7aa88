import { sql as raw } from 'kysely'
import type { ExpressionBuilder } from 'kysely'
import { newId } from '../../core/ids.ts'
import type { ApplicationRecord, Scope } from '../../core/model.ts'
import { KEEP_UNUSED_MS, type OAuthRegistrations } from '../oauth-registrations.ts'
import type { OAuthRegistrationRow } from './oauth-tables.ts'
import { perDialect } from './per-dialect.ts'
import type { Store, WriteTransaction } from './store.ts'
import type { Tables } from './tables.ts'

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
        return toApplication(row)
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
      return row === undefined ? null : toApplication(row)
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
  { id, name, redirectUris, scopes }: { id: string; name: string; redirectUris: readonly string[]; scopes: readonly Scope[] },
  at: Date,
): OAuthRegistrationRow {
  return {
    id,
    name,
    redirect_uris: JSON.stringify(redirectUris),
    scopes: JSON.stringify(scopes),
    created_at: at.getTime(),
  }
}

function toApplication({ id, name, redirect_uris, scopes, created_at }: OAuthRegistrationRow): ApplicationRecord {
  return {
    id,
    ownerId: null,
    name,
    type: 'public',
    redirectUris: JSON.parse(redirect_uris) as string[],
    scopes: JSON.parse(scopes) as Scope[],
    createdAt: new Date(created_at),
    updatedAt: new Date(created_at),
    secrets: [],
  }
}
