import { DocsearchError } from '../core/errors.ts'

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?=[:/?]|$)/
const WITH_PORT = /^:([1-9]\d{0,4})(.*)$/s
const OWN_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\//
/** The answer brings these along; a second one of the same name would make it ambiguous. */
const ANSWER_PARAMETERS = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']
/** URLs allow more, `;` and `*` among it, which in the Content-Security-Policy of the consent page mean something. */
const HOST = /^(?:[a-z0-9._-]*|\[[0-9a-f:.]+\])$/
const MOST_CHARACTERS = 2000

/** Throws DocsearchError `invalid_redirect_uri` that says what is wrong. What passes is compared character by character from then on. */
export function checkRedirectUri(text: string): void {
  const fault = faultOf(text)
  if (fault === null) return
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text
  throw new DocsearchError('invalid_redirect_uri', `The redirect address ${JSON.stringify(shown)} ${fault}.`, {
    details: { redirect_uri: shown },
  })
}

function faultOf(text: string): string | null {
  if (text.length > MOST_CHARACTERS) return `has ${text.length} characters, the limit is ${MOST_CHARACTERS}`
  if (!/^[\x21-\x7e]+$/.test(text)) return 'has a space or a character that is not ASCII: percent-encode it'
  if (!URL.canParse(text)) return 'is not an absolute address such as https://app.example.com/callback'
  if (text.includes('#')) return 'has a fragment (#…), which a redirect cannot keep'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return 'has a user name or password in it'
  if (!HOST.test(url.hostname)) return 'has a host with other characters than letters, digits, dots and hyphens'
  const schemeFault = faultOfScheme(url, text)
  if (schemeFault !== null) return schemeFault
  // One way to write it only: otherwise what is compared is not what a browser opens (`127.1`, `/a/%2e%2e/b`, `HTTPS://`).
  if (url.href !== text && url.href !== `${text}/`) return `is written in a way that browsers change: write ${url.href}`
  const taken = ANSWER_PARAMETERS.find((name) => url.searchParams.has(name))
  return taken === undefined ? null : `has the parameter ${taken}, which the answer itself carries`
}

function faultOfScheme({ protocol, hostname }: URL, text: string): string | null {
  if (protocol === 'https:') return null
  if (protocol === 'http:') {
    if (LOOPBACK.test(text) || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) return null
    return 'is http, which is only for loopback (127.0.0.1, [::1], localhost): use https'
  }
  // RFC 8252 section 7.1: a domain of its own in reverse, so that nobody else's application answers to it.
  if (OWN_SCHEME.test(text)) return null
  return `has the scheme ${protocol} which is neither https nor of the application's own (com.example.app:/callback)`
}

/** The one comparison of redirect addresses (RFC 9700 section 4.1.3): character by character; on loopback, the port of an address registered without one is free. */
export function isRegistered(registered: readonly string[], sent: string): boolean {
  return registered.some((uri) => uri === sent || isSameButPort(uri, sent))
}

/** RFC 8252 section 7.3. Host, path and query stay exact. */
function isSameButPort(registered: string, sent: string): boolean {
  const host = LOOPBACK.exec(registered)?.[0]
  if (host === undefined || registered.startsWith(':', host.length) || !sent.startsWith(host)) return false
  const [, port, rest] = WITH_PORT.exec(sent.slice(host.length)) ?? []
  return port !== undefined && Number(port) <= 65_535 && rest === registered.slice(host.length)
}
