import type { Problem } from '../../contract/common.ts'

/**
 * Returns the WWW-Authenticate header for a refusal (RFC 6750 section 3), with the address of the metadata (RFC 9728 section 5.1). It has no
 * error code when no credential was sent. Returns null for a refusal that has nothing to do with credentials.
 */
export function challenge(problem: Problem, baseUrl: string): string | null {
  const error = errorOf(problem)
  if (error === null) return null
  const fields = { realm: 'docsearch', ...error, resource_metadata: `${baseUrl}/.well-known/oauth-protected-resource` }
  return `Bearer ${Object.entries(fields)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`
}

function errorOf({ code, ...details }: Problem): Record<string, string> | null {
  if (code === 'unauthorized') return {}
  if (code === 'invalid_token') return { error: 'invalid_token', error_description: 'unknown, revoked or expired' }
  if (code === 'insufficient_scope') return { error: 'insufficient_scope', scope: String(details['scope']) }
  return null
}
