import { limitFact } from '../../core/audit.ts'
import type { Scope } from '../../core/model.ts'
import type { OAuthCodes } from '../oauth-codes.ts'
import { makeGrant } from './oauth-grants.ts'
import type { Store } from './store.ts'
import { limitColumn, limitOf } from './tables.ts'
import { activeUsers } from './user-rows.ts'

export function createOAuthCodes(store: Store): OAuthCodes {
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
