import { isPrivateHost } from '../core/addresses.ts'
import { DocsearchError } from '../core/errors.ts'
import type { AllowedCallbacks } from '../core/oauth-policy.ts'

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?=[:/?]|$)/
const WITH_PORT = /^:([1-9]\d{0,4})(.*)$/s
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\//
/** The answer adds these parameters. A second one with the same name would make it ambiguous. */
const ANSWER_PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']
/** URLs allow more characters, but DNS names don't use them, and the user relies on the host that the consent view shows. */
const HOST = /^(?:[a-z0-9._-]*|\[[0-9a-f:.]+\])$/
const MAX_LENGTH = 2000

/** Throws DocsearchError `invalid_redirect_uri`, which says what is wrong. Later, isRegistered compares the address character by character. */
export function checkRedirectUri(text: string, allowed: AllowedCallbacks): void {
  const fault = faultOf(text, allowed)
  if (fault === null) return
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text
  throw new DocsearchError('invalid_redirect_uri', `The redirect address ${JSON.stringify(shown)} ${fault}.`, {
    details: { redirect_uri: shown },
  })
}

/** Returns whether checkRedirectUri accepts the address. */
export function isAllowedRedirectUri(text: string, allowed: AllowedCallbacks): boolean {
  return faultOf(text, allowed) === null
}

function faultOf(text: string, allowed: AllowedCallbacks): string | null {
  if (text.length > MAX_LENGTH) return `has ${text.length} characters; the limit is ${MAX_LENGTH}`
  if (!/^[\x21-\x7e]+$/.test(text)) return 'has a space or a character that is not ASCII: percent-encode it'
  if (!URL.canParse(text)) return 'is not an absolute address such as https://app.example.com/callback'
  if (text.includes('#')) return 'has a fragment (#…), which a redirect cannot keep'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return 'has a user name or password in it'
  if (!HOST.test(url.hostname)) return 'has a host with other characters than letters, digits, dots and hyphens'
  const schemeFault = faultOfScheme(url, text, allowed)
  if (schemeFault !== null) return schemeFault
  // An address has only one spelling here. Otherwise the browser could open another address than the compared one (`127.1`, `/a/%2e%2e/b`, `HTTPS://`).
  if (url.href !== text && url.href !== `${text}/`) return `is written in a way that browsers change; write ${url.href}`
  const taken = ANSWER_PARAMETERS.find((name) => url.searchParams.has(name))
  return taken === undefined ? null : `has the parameter ${taken}, which the answer adds`
}

function faultOfScheme({ protocol, hostname }: URL, text: string, { privateHttp, schemes }: AllowedCallbacks): string | null {
  if (protocol === 'https:') return null
  if (protocol === 'http:') {
    if (LOOPBACK.test(text) || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) return null
    if (privateHttp && isPrivateHost(hostname)) return null
    const hosts = privateHttp ? 'loopback and private networks' : 'loopback (127.0.0.1, [::1], localhost)'
    return `is http, which is only for ${hosts}: use https`
  }
  // RFC 8252 section 7.1: a reversed domain of the application's owner, so that no other application receives the answer.
  if (PRIVATE_SCHEME.test(text)) return null
  if (schemes.some((scheme) => text.startsWith(`${scheme}:/`))) return null
  return `has the scheme ${protocol}, but must have https or the application's own scheme (com.example.app:/callback)`
}

/**
 * Returns whether the redirect address is registered. The comparison is by character (RFC 9700 section 4.1.3), except that a loopback address that is
 * registered without a port allows every port.
 */
export function isRegistered(registered: readonly string[], sent: string): boolean {
  return registered.some((uri) => uri === sent || isSameExceptPort(uri, sent))
}

/** RFC 8252 section 7.3. Host, path and query must be equal. */
function isSameExceptPort(registered: string, sent: string): boolean {
  const host = LOOPBACK.exec(registered)?.[0]
  if (host === undefined || registered.startsWith(':', host.length) || !sent.startsWith(host)) return false
  const [, port, rest] = WITH_PORT.exec(sent.slice(host.length)) ?? []
  return port !== undefined && Number(port) <= 65_535 && rest === registered.slice(host.length)
}
