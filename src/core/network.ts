import { isIP, isIPv6 } from 'node:net'

/**
 * Returns the key under which limits count an address. For IPv6 this is the /64 network, because one customer can use every
 * address in it. For IPv4 it is the address itself. Ignores a port after the address, which some proxies add. All other texts
 * share one key, because a client behind a careless proxy can invent any text.
 */
export function networkOf(address: string): string {
  const [, bare = address] = /^\[([^\]]*)\](?::\d+)?$/.exec(address) ?? /^([\d.]+):\d+$/.exec(address) ?? []
  if (isIP(bare) === 0) return 'unknown'
  // An IPv4 client, as a server that listens on IPv6 sees it.
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(bare) ?? []
  return mapped ?? (isIPv6(bare) ? firstGroups(bare) : bare)
}

function firstGroups(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
