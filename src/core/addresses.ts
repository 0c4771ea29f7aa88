import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Names that have no meaning outside a local network: RFC 6762 (`.local`), RFC 8375 (`.home.arpa`), and `.internal`, which ICANN has reserved. */
const PRIVATE_NAME = /^(?:[a-z0-9-]+|.+\.(?:local|internal|home\.arpa))$/
/** Ranges of ipaddr.js in which one organisation assigns the addresses. Shared address space (RFC 6598) is here because VPNs use it. */
const PRIVATE_RANGES = ['private', 'uniqueLocal', 'carrierGradeNat']
/** The part of IPv6 that is assigned to the internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns whether a host, as `URL.hostname` has it, belongs to a private network: an address of RFC 1918, RFC 4193 or RFC 6598, a name without a
 * dot, or one under `.local`, `.internal` or `.home.arpa`. Loopback and link-local addresses don't count. Looks no name up.
 */
export function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) === 0) return PRIVATE_NAME.test(hostname)
  return PRIVATE_RANGES.includes(ipaddr.process(address).range())
}

/** Returns whether an IP address is one of the internet's: not loopback, private, link-local, reserved, multicast, or an IPv4 address in IPv6. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.process(address.split('%')[0]!)
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6))
}

/** The name or address belongs to no host on the internet. */
export class NotPublicError extends Error {
  constructor(hostname: string) {
    super(`${hostname} has no public address`)
    this.name = 'NotPublicError'
  }
}

/** Throws NotPublicError if `hostname` of this URL is an IP address that is not public. Sockets don't look addresses up, so publicLookup misses them. */
export function checkAddress({ hostname }: URL): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw new NotPublicError(hostname)
}

/**
 * Looks a name up for a socket, and returns only its public addresses, so that no name can lead a request into the local network. Fails with
 * NotPublicError if there are none. The socket connects to what this returns, so that a second answer of DNS has no effect.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, [])
    const found = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = found
    if (first === undefined) callback(new NotPublicError(hostname), [])
    else if (options.all === true) callback(null, found)
    else callback(null, first.address, first.family)
  })
}
