import { DocsearchError } from '../core/errors.ts'

export const DEFAULT_ADDRESS = 'http://127.0.0.1:4747'

/**
 * One spelling for each instance: scheme, host in lower case, no default port, no trailing slash; a path stays, for an instance behind one.
 * Without a scheme it is http on this machine and https elsewhere. `localhost` and `127.0.0.1` stay different: something else may listen on one of them,
 * and a credential belongs to one address.
 * Throws DocsearchError `invalid_address`.
 */
export function normaliseAddress(text: string): string {
  const trimmed = text.trim()
  const url = parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `${defaultScheme(trimmed)}://${trimmed}`)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new DocsearchError(
      'invalid_address',
      `"${trimmed}" is not the address of an instance; write it like ${DEFAULT_ADDRESS}.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new DocsearchError('invalid_address', 'An address carries no user name or password; use `docsearch login`.')
  }
  if (url.search !== '' || url.hash !== '') {
    throw new DocsearchError('invalid_address', `"${trimmed}" is not the address of an instance: it has a query or a fragment.`)
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** The address to reach a listener at: a wildcard host is not one. */
export function reachableAddress(address: string): string {
  const url = new URL(normaliseAddress(address))
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  return normaliseAddress(url.href)
}

function defaultScheme(text: string): string {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/i.test(text) ? 'http' : 'https'
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}
