import type { Ctx, Middleware } from '../../routing/context.ts'

/**
 * Returns a policy that forbids scripts and framing, and allows styles and pictures only from this origin. A form and every
 * redirect after it must lead to this origin, because Chromium checks the whole chain (CSP Level 3 section 6.4.1). With `frames`,
 * the page may frame pages of this origin.
 */
function policy({ frames = false } = {}): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    ...(frames ? ["frame-src 'self'"] : []),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Sets the headers of every page. securityHeaders has already set those against framing, sniffing and caching. */
export function pagePolicy(): Middleware {
  return async (ctx, next) => {
    setPagePolicy(ctx)
    await next()
  }
}

export function setPagePolicy(ctx: Ctx): void {
  ctx.set('Content-Security-Policy', policy())
  // Paths and queries can contain one-time tokens, so no page sends them as referrer. `no-referrer` would make browsers send
  // `Origin: null` with the instance's own forms (Fetch section 3.2).
  ctx.set('Referrer-Policy', 'strict-origin')
}

/** Lets this answer show an original in a frame. */
export function allowFrames(ctx: Ctx): void {
  ctx.set('Content-Security-Policy', policy({ frames: true }))
}
