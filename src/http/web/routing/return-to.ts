const MAX_CHARACTERS = 12_000
/** Only the origin is compared. No host can end in `.invalid` (RFC 2606). */
const BASE = 'http://origin.invalid'

/**
 * Returns the path to go to after the login. Returns null for anything that could lead to another site: other addresses, `//host`, `/\host`, and
 * control characters, which browsers drop before they parse an address (WHATWG URL section 4.4).
 */
export function safeReturnTo(sent: string | undefined): string | null {
  if (sent === undefined || sent.length > MAX_CHARACTERS || !/^\/(?![/\\])[^\p{Cc}\\]*$/u.test(sent)) return null
  const url = URL.parse(sent, BASE)
  // `/.//host` becomes `//host` when it is parsed.
  if (url === null || url.origin !== BASE || url.pathname.startsWith('//')) return null
  return url.pathname + url.search
}
