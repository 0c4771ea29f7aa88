const MOST_CHARACTERS = 12_000
/** Only its origin is compared; `.invalid` is nobody's (RFC 2606). */
const BASE = 'http://origin.invalid'

/**
 * A place of ours to go on to after the login; null for anything that could lead elsewhere: other addresses, `//host`, `/\host`, and control
 * characters, which browsers drop before they read an address (WHATWG URL section 4.4).
 */
export function safeReturnTo(sent: string | undefined): string | null {
  if (sent === undefined || sent.length > MOST_CHARACTERS || !/^\/(?![/\\])[^\p{Cc}\\]*$/u.test(sent)) return null
  const url = URL.parse(sent, BASE)
  // `/.//host` has no dots left once it is parsed.
  if (url === null || url.origin !== BASE || url.pathname.startsWith('//')) return null
  return url.pathname + url.search
}
