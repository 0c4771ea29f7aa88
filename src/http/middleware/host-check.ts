import { isIP } from 'node:net'
import type { HttpSettings } from '../dependencies.ts'
import { fail } from '../problems/problems.ts'
import type { Middleware } from '../routing/context.ts'

/**
 * Answers only to names it knows, also on loopback: with DNS rebinding a web page makes a name of its own point here
 * (CVE-2024-28224). An address cannot be rebound, so IP literals pass. Only the Host header itself counts, never a forwarded one.
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

/** Lower case, without port, brackets and a final dot; null when it is no host at all. */
function hostName(host: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@?#[\]]+?)\.?)(?::\d{1,5})?$/i.exec(host)
  return (match?.[1] ?? match?.[2] ?? null)?.toLowerCase() ?? null
}
