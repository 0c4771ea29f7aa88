import type { Problem } from '../../contract/common.ts'
import type { Operation } from '../../contract/operation.ts'
import type { KeyScope } from '../../core/model.ts'

type Access = Operation['access'] | undefined

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

/**
 * Returns the WWW-Authenticate header for a refusal (RFC 6750 section 3), with the address of the metadata (RFC 9728 section 5.1)
 * and the scope that the operation needs, so that an application asks its user only for this scope. The header has no error code
 * when no credential was sent. Returns null for a refusal that has nothing to do with credentials.
 */
export function challenge(problem: Problem, access: Access, resource: { baseUrl: string; path: string }): string | null {
  const error = errorOf(problem, access)
  if (error === null) return null
  const fields = { realm: 'docsearch', ...error, resource_metadata: `${resource.baseUrl}${RESOURCE_METADATA}${resource.path}` }
  return `Bearer ${Object.entries(fields)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`
}

function errorOf({ code, ...details }: Problem, access: Access): Record<string, string> | null {
  const scope = neededScope(access)
  if (code === 'unauthorized') return { scope }
  if (code === 'invalid_token') return { error: 'invalid_token', error_description: 'unknown, revoked or expired', scope }
  if (code === 'insufficient_scope') return { error: 'insufficient_scope', scope: String(details['scope']) }
  return null
}

/** Returns the scope that is enough for the operation. If any credential is enough, returns the scope that allows least. */
function neededScope(access: Access): KeyScope {
  return access === undefined || access === 'public' || access === 'optional' || access === 'any' ? 'read:documents' : access
}
