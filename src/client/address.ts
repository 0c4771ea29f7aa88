import { DocsearchError } from '../core/errors.ts'

export const DEFAULT_ADDRESS = 'http://127.0.0.1:4747'
const LOCALHOST = /^http:\/\/localhost(?=[:/]|$)/
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/

/**
 * Returns one spelling for each instance: scheme, host in lower case, no default port, no trailing slash. A path stays.
 * Without a scheme it uses http for this machine and https for others. `localhost` and `127.0.0.1` stay different, because different programs
 * may listen on them, and a credential belongs to one address.
 * Throws DocsearchError `invalid_address`.
 */
export function normaliseAddress(text: string): string {
  const trimmed = text.trim()
  const url = parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `${defaultScheme(trimmed)}://${trimmed}`)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new DocsearchError(
      'invalid_address',
      `"${trimmed}" is not the address of an instance. An address looks like ${DEFAULT_ADDRESS}.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new DocsearchError('invalid_address', 'An address must not contain a user name or password. Use `docsearch login`.')
  }
  if (url.search !== '' || url.hash !== '') {
    throw new DocsearchError(
      'invalid_address',
      `"${trimmed}" is not the address of an instance, because it has a query or a fragment.`,
    )
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** Returns the address at which a listener can be reached: replaces a wildcard host by this machine. */
export function reachableAddress(address: string): string {
  const url = new URL(normaliseAddress(address))
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  return normaliseAddress(url.href)
}

/**
 * Returns the other addresses that reach the same listener of this machine: `localhost` for a loopback address, and the reverse.
 */
export function otherNames(address: string): string[] {
  if (LOCALHOST.test(address)) return ['127.0.0.1', '[::1]'].map((host) => address.replace(LOCALHOST, `http://${host}`))
  return LOOPBACK.test(address) ? [address.replace(LOOPBACK, 'http://localhost')] : []
}

/** Returns true if both addresses, which must be normalised, reach the same listener. */
export function isSameListener(one: string, other: string): boolean {
  return one === other || otherNames(one).includes(other)
}

function defaultScheme(text: string): string {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i.test(text) ? 'http' : 'https'
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}
