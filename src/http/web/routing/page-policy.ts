import type { Ctx, Middleware } from '../../routing/context.ts'

/**
 * Forbids scripts and framing, and allows styles and pictures only from this origin. A form and every
 * redirect after it must lead to this origin, because Chromium checks the whole chain (CSP Level 3 section 6.4.1).
 */
const RULES = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]
const POLICY = RULES.join('; ')
/** Allows the script file of this instance, and lets it send requests to this instance. */
const SCRIPT_POLICY = [...RULES, "script-src 'self'", "connect-src 'self'"].join('; ')

/** Sets the headers of every page. securityHeaders has already set those against framing, sniffing and caching. */
export function pagePolicy(hasScript: boolean): Middleware {
  return async (ctx, next) => {
    setPagePolicy(ctx, hasScript)
    await next()
  }
}

/** Views with passwords, and views that decide about access, have no script. */
export function setPagePolicy(ctx: Ctx, hasScript = false): void {
  ctx.set('Content-Security-Policy', hasScript ? SCRIPT_POLICY : POLICY)
  // Paths and queries can contain one-time tokens, so no page sends them as referrer. `no-referrer` would make browsers send
  // `Origin: null` with the instance's own forms (Fetch section 3.2).
  ctx.set('Referrer-Policy', 'strict-origin')
}
