import { isIP } from 'node:net'
import type { Logger } from '../../core/logger.ts'
import { hasTooManyFields, MAX_FIELDS } from '../body.ts'
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

/**
 * Refuses a query with too many parameters before anything parses it. Koa compares each parameter with all others, so 60 kB of
 * parameters would take half a minute.
 */
export function queryCheck(): Middleware {
  return async (ctx, next) => {
    if (hasTooManyFields(ctx.querystring))
      throw fail('invalid_request', `The address has more than the limit of ${MAX_FIELDS} parameters.`, { limit: MAX_FIELDS })
    await next()
  }
}

/** The strictest policy, which is right for data. Each page sets a looser one. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export function securityHeaders(): Middleware {
  return async (ctx, next) => {
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('X-Frame-Options', 'DENY')
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('Cross-Origin-Resource-Policy', 'same-origin')
    ctx.set('Content-Security-Policy', DATA_POLICY)
    // An answer may be private to its user. Public answers set their own Cache-Control.
    ctx.set('Cache-Control', 'no-store')
    await next()
  }
}

/** The endpoints that a public application without a server needs to get and revoke a token. They ignore cookies. */
const OPEN_ENDPOINTS = new Set(['/api/oauth/token', '/api/oauth/revoke'])
const TWO_HOURS = 2 * 60 * 60

/**
 * Lets scripts from every origin read the metadata documents (RFC 8414, 9728) and call the endpoints that a public application in
 * a browser needs. A script can't read the answer to a request with cookies. Nothing else has CORS headers, so only scripts from
 * the instance's own origin can read answers of the API and the views.
 */
export function crossOrigin(): Middleware {
  return async (ctx, next) => {
    const isMetadata = ctx.path.startsWith('/.well-known/')
    if (isMetadata || OPEN_ENDPOINTS.has(ctx.path)) {
      ctx.set('Access-Control-Allow-Origin', '*')
      // `*` covers every header except Authorization (Fetch section 4.9), in which an application may send its client ID.
      ctx.set('Access-Control-Allow-Headers', isMetadata ? '*' : 'Authorization, Content-Type, *')
      ctx.set('Access-Control-Allow-Methods', isMetadata ? 'GET' : 'POST')
      ctx.set('Access-Control-Expose-Headers', 'Retry-After, WWW-Authenticate, X-Request-Id')
      ctx.set('Access-Control-Max-Age', String(TWO_HOURS))
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin')
    }
    await next()
  }
}

/**
 * Warns once if a proxy sends the callers' addresses and the instance ignores them, because all callers then share the limits of
 * one address.
 */
export function forwardedWarning({ trustProxy }: Pick<HttpSettings, 'trustProxy'>, log: Logger): Middleware {
  let isDue = !trustProxy
  return async (ctx, next) => {
    if (isDue && ctx.get('X-Forwarded-For') !== '') {
      isDue = false
      log.warn(
        {},
        'docsearch ignores the X-Forwarded-For header of a request, because trust_proxy is off. Behind a reverse proxy, all callers then share ' +
          'the limits of one address. If callers can reach the instance only through the proxy, set trust_proxy (DOCSEARCH_TRUST_PROXY=true).',
      )
    }
    await next()
  }
}
