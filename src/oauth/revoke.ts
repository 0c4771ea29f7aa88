import { hashSecret } from '../core/secrets.ts'
import { authenticateClient } from './client-authentication.ts'
import { required, type OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import type { ClientRequest } from './oauth.ts'

/** RFC 7009: either token of a family ends all of it. A token that nobody knows is as good as revoked. Throws OAuthError. */
export async function revoke(context: OAuthContext, request: ClientRequest): Promise<void> {
  const client = await authenticateClient(context, request)
  // `token_type_hint` would only make the search faster, and it is fast.
  const found = await context.records.grants.findToken(hashSecret(required(request.fields, 'token')))
  if (found === null) return
  if (found.grant.clientId !== client.id)
    throw new OAuthError('invalid_grant', 'The token was issued to another client, which alone may revoke it.')
  await context.records.grants.revoke(found.grant.id)
}
