import type { ApplicationRecord } from '../core/model.ts'
import { hashSecret } from '../core/secrets.ts'
import type { OAuthContext } from './context.ts'
import { OAuthError } from './errors.ts'
import type { ApplicationRequest } from './oauth.ts'

/**
 * Returns the application that sent the request (RFC 6749 section 2.3). It names itself with HTTP Basic, or with id and secret in the body;
 * a public application only sends its id. Throws `invalid_request` if the request is ambiguous, `invalid_client` if the application is not authentic.
 */
export async function authenticateApplication(
  { applications, records }: Pick<OAuthContext, 'applications' | 'records'>,
  request: ApplicationRequest,
): Promise<ApplicationRecord> {
  const { id, secret } = sentCredentials(request)
  const application = await applications.get(id)
  if (application !== null && (await isAuthentic(application, secret, records))) return application
  throw new OAuthError('invalid_client', 'The application is unknown, or its secret is missing or wrong.', {
    isBasicRefused: request.basic !== null,
  })
}

function sentCredentials({ basic, fields }: ApplicationRequest): { id: string; secret: string } {
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
    throw new OAuthError('invalid_request', 'client_id in the body differs from the one in the Authorization header.')
  return basic
}

/**
 * A public application has no secret. An empty secret counts as none (RFC 6749 section 2.3.1), because libraries send it. Any other secret fails,
 * so that developers notice on the first day if an application was registered with the wrong type.
 */
async function isAuthentic(application: ApplicationRecord, secret: string, records: OAuthContext['records']): Promise<boolean> {
  if (application.type === 'public') return secret === ''
  return secret !== '' && records.applications.hasSecret(application.id, hashSecret(secret))
}
