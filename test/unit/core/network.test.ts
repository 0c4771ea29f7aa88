import { expect, test } from 'vitest'
import { networkOf } from '../../../src/core/network.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:5678', '192.0.2.1'],
  ['2001:db8:0:1::1', '2001:db8:0:1'],
  ['2001:0DB8::1:0:0:0:2', '2001:db8:0:1'],
  ['[2001:db8:0:1::1]:5678', '2001:db8:0:1'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['invented', 'unknown'],
  ['x'.repeat(60_000), 'unknown'],
  ['', 'unknown'],
])('%s belongs to %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
