import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'
import { createAuthorize } from './authorize.ts'
import { createApplicationRegistry } from './application-registry.ts'
import { createConnections } from './connections.ts'
import type { OAuthContext } from './context.ts'
import { createDevice } from './device.ts'
import { resourceMetadata, serverMetadata } from './discovery.ts'
import { introspect } from './introspect.ts'
import type { OAuth } from './oauth.ts'
import { revoke } from './revoke.ts'
import { token } from './token.ts'

/** Creates the authorization server. `issuer` is a function, because the address is known only once the daemon listens. */
export function createOAuth(options: {
  records: Pick<Records, 'oauth'>
  clock: Clock
  log: Logger
  issuer: () => string
}): OAuth {
  const { clock, issuer } = options
  const records = options.records.oauth
  const applications = createApplicationRegistry({ records: records.applications, clock })
  const context: OAuthContext = { records, applications, clock, issuer, log: options.log.child({ part: 'oauth' }) }
  return {
    applications,
    authorize: createAuthorize(context),
    token: (request) => token(context, request),
    revoke: (request) => revoke(context, request),
    introspect: (request) => introspect(context, request),
    device: createDevice(context),
    connections: createConnections(context),
    serverMetadata: () => serverMetadata(issuer()),
    resourceMetadata: () => resourceMetadata(issuer()),
  }
}
