import { isIP } from 'node:net'
import type { HttpSettings } from '../dependencies.ts'
import { fail } from '../problems/problems.ts'
import type { Middleware } from '../routing/context.ts'

/**
 * Refuses requests whose Host header has an unknown name, also on loopback: DNS rebinding lets a web page point its own name at this instance
 * (CVE-2024-28224). IP addresses pass, because they can't be rebound. Only the Host header itself counts, never a forwarded one.
 */
export function hostCheck(settings: Pick<HttpSettings, 'allowedHosts' | 'baseUrl'>): Middleware {
  return async (ctx, next) => {
    const name = hostName(ctx.req.headers.host ?? '')
    if (name === null || !isAllowed(name, settings)) {
      throw fail(
        'host_not_allowed',
        'This instance does not answer to the name in the Host header. Use the address it listens on, or add the name to allowed_hosts (DOCSEARCH_ALLOWED_HOSTS).',
      )
    }
    await next()
  }
}

function isAllowed(name: string, { allowedHosts, baseUrl }: Pick<HttpSettings, 'allowedHosts' | 'baseUrl'>): boolean {
  if (name === 'localhost' || isIP(name) !== 0) return true
  return name === hostName(new URL(baseUrl()).host) || allowedHosts.some((allowed) => hostName(allowed) === name)
}

/** Returns the host in lower case without port, brackets and a final dot; null when it is malformed. */
function hostName(host: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@?#[\]]+?)\.?)(?::\d{1,5})?$/i.exec(host)
  return (match?.[1] ?? match?.[2] ?? null)?.toLowerCase() ?? null
}
