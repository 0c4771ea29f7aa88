import type { Ctx, Middleware } from '../../routing/context.ts'

/**
 * No script at all, style and pictures from here, no framing. `formTargets`: where a form may lead beside this origin; browsers hold
 * the redirects after a form against it too (CSP Level 3 section 6.4.1). `frames`: the page may show another of ours in it.
 */
function policy(formTargets: readonly string[], { frames = false } = {}): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(frames ? ["frame-src 'self'"] : []),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Headers of every answer that a page's route gives; frames, sniffing and `no-store` are in securityHeaders. */
export function pagePolicy(): Middleware {
  return async (ctx, next) => {
    setPagePolicy(ctx)
    await next()
  }
}

export function setPagePolicy(ctx: Ctx): void {
  ctx.set('Content-Security-Policy', policy([]))
  // No path and no query, where one-time tokens are, leaves a page, not even to ourselves. `no-referrer` would make browsers send
  // `Origin: null` with our own forms (Fetch section 3.2).
  ctx.set('Referrer-Policy', 'strict-origin')
}

/** This answer's forms may lead to this address, which was validated as an application's: `https://host:port`, or `scheme:`. */
export function allowFormTarget(ctx: Ctx, redirectUri: string): void {
  ctx.set('Content-Security-Policy', policy([formTarget(new URL(redirectUri))]))
}

/** This answer may show an original of ours in a frame. */
export function allowFrames(ctx: Ctx): void {
  ctx.set('Content-Security-Policy', policy([], { frames: true }))
}

function formTarget({ protocol, hostname, origin }: URL): string {
  const isWeb = protocol === 'https:' || protocol === 'http:'
  // CSP has no way to write an IPv6 address, and an application's own scheme has no host.
  return isWeb && !hostname.startsWith('[') ? origin : protocol
}
