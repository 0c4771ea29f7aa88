import { KEEP_EXPIRED_MS } from '../oauth-records.ts'
import type { OAuthRecords } from '../oauth-records.ts'
import { createOAuthApplications } from './oauth-applications.ts'
import { createOAuthCodes } from './oauth-codes.ts'
import { createOAuthDevices } from './oauth-devices.ts'
import { createOAuthGrants } from './oauth-grants.ts'
import { createOAuthRegistrations, sweepRegistrations } from './oauth-registrations.ts'
import type { Store } from './store.ts'

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
