import type { OAuthClientRecord } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import type { OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import type { ClientRequest } from './oauth.ts'

/**
 * Which client asks (RFC 6749 section 2.3): by HTTP Basic, or by id and secret in the body; a public one only says its id.
 * Throws `invalid_request` where that is ambiguous, `invalid_client` where it is not true.
 */
export async function authenticateClient(
  { clients, records }: Pick<OAuthContext, 'clients' | 'records'>,
  request: ClientRequest,
): Promise<OAuthClientRecord> {
  const { id, secret } = sentCredentials(request)
  const client = await clients.get(id)
  if (client !== null && (await isAuthentic(client, secret, records))) return client
  throw new OAuthError('invalid_client', 'The client is unknown, or its secret is missing or wrong.', {
    isBasicRefused: request.basic !== null,
  })
}

function sentCredentials({ basic, fields }: ClientRequest): { id: string; secret: string } {
  const { client_id: id, client_secret: secret = '' } = fields
  if (fields['client_assertion'] !== undefined || fields['client_assertion_type'] !== undefined)
    throw new OAuthError('invalid_client', 'Assertions are not supported: send client_id and client_secret.')
  if (basic === null) {
    if (id === undefined) throw new OAuthError('invalid_request', 'client_id is missing.')
    return { id, secret }
  }
  if (secret !== '')
    throw new OAuthError('invalid_request', 'Send the secret in the Authorization header or in the body, not in both.')
  if (id !== undefined && id !== basic.id)
    throw new OAuthError('invalid_request', 'client_id in the body is another one than in the Authorization header.')
  return basic
}

/**
 * A public client has no secret. An empty one is the same as none (RFC 6749 section 2.3.1), and libraries do send it; any other is a
 * client authentication that fails, so that a client registered with the wrong type is noticed on the first day.
 */
async function isAuthentic(client: OAuthClientRecord, secret: string, records: OAuthContext['records']): Promise<boolean> {
  if (client.type === 'public') return secret === ''
  return secret !== '' && records.clients.hasSecret(client.id, hashSecret(secret))
}
