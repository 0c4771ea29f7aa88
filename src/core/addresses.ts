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
 * Where clouds answer each of their machines, some with its credentials: Azure's wire server, and the metadata of Alibaba, AWS, Google,
 * Oracle and Scaleway. Their other addresses are link-local or reserved (169.254.0.0/16, 192.0.0.192).
 */
const OF_CLOUDS = [
  '168.63.129.16/32',
  '100.100.100.200/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
].map((range) => ipaddr.parseCIDR(range))

/**
 * Returns whether a host, as `URL.hostname` has it, belongs to a private network: an address of RFC 1918, RFC 4193 or RFC 6598, a name without a
 * dot, or one under `.local`, `.internal` or `.home.arpa`. Loopback and link-local addresses don't count. Looks no name up.
 */
export function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) === 0) return PRIVATE_NAME.test(hostname)
  return PRIVATE_RANGES.includes(ipaddr.process(address).range())
}

/**
 * Returns whether an IP address is one of the internet's: not loopback, private, link-local, reserved, multicast, an IPv4 address in IPv6,
 * or the address at which a cloud answers its machines.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address)
  return parsed?.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6))
}

/**
 * Returns whether an IP address belongs to the internet, a private network or this machine. False for link-local addresses, and for those
 * at which a cloud answers its machines.
 */
export function isPublicOrPrivateAddress(address: string): boolean {
  return isPublicAddress(address) || [...PRIVATE_RANGES, 'loopback'].includes(parseAddress(address)?.range() ?? '')
}

/** Returns null for a text that is no address, and for the addresses at which a cloud answers its machines. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (isIP(text) === 0) return null
  const address = ipaddr.process(text.split('%')[0]!)
  return OF_CLOUDS.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits)) ? null : address
}

/** Decides about an IP address whether docsearch may connect to it. */
export type IsAllowedAddress = (address: string) => boolean

/** docsearch may connect to no address of the host. Most often, the host has no public address. */
export class AddressNotAllowedError extends Error {
  constructor(hostname: string) {
    super(`${hostname} has no address that docsearch may connect to`)
    this.name = 'AddressNotAllowedError'
  }
}

/** Throws AddressNotAllowedError if `hostname` of this URL is an IP address that is not allowed. Sockets don't look addresses up, so `lookupAllowed` misses them. */
export function checkAddress({ hostname }: URL, isAllowed: IsAllowedAddress): void {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0 && !isAllowed(address)) throw new AddressNotAllowedError(hostname)
}

/**
 * Returns a function that looks a name up for a socket, and returns only its allowed addresses, so that no name can lead a request into the local
 * network. It fails with AddressNotAllowedError if there are none. The socket connects to what the function returns, so that a second answer of
 * DNS has no effect.
 */
export function lookupAllowed(isAllowed: IsAllowedAddress): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const found = addresses.filter(({ address }) => isAllowed(address))
      const [first] = found
      if (first === undefined) callback(new AddressNotAllowedError(hostname), [])
      else if (options.all === true) callback(null, found)
      else callback(null, first.address, first.family)
    })
  }
}
