import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { isPublicAddress, isPublicOrPrivateAddress } from '../../../src/core/addresses.ts'
import { exchange } from '../../../src/core/http-fetch.ts'

const LIMITS = { timeoutMs: 3_000, isAllowedAddress: isPublicAddress }

/** Where clouds answer their machines. */
const OF_CLOUDS = [
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '169.254.169.254',
  'fd00:ec2::254',
  'fd00:ec2::254%eth0',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
]

test.each(['8.8.8.8', '168.63.129.17', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001:82a::200e'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each([
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.1.2.3',
  '172.20.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:a00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::1',
  '2001::1',
  '2001:db8::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'fd00::1',
  'ff02::1',
  ...OF_CLOUDS,
  'example.com',
  '',
])('%s is not', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each([
  '8.8.8.8',
  '10.1.2.3',
  '192.168.0.1',
  '100.64.0.1',
  '100.100.100.201',
  'fd00::1',
  '127.0.0.1',
  '::1',
  '::ffff:10.0.0.1',
])('%s is public or private', (address) => {
  expect(isPublicOrPrivateAddress(address)).toBe(true)
})

test.each([...OF_CLOUDS, 'fe80::1', '::ffff:169.254.169.254', '0.0.0.0', '224.0.0.1', '64:ff9b::a9fe:a9fe', 'example.com'])(
  '%s is neither',
  (address) => {
    expect(isPublicOrPrivateAddress(address)).toBe(false)
  },
)

test('a request for the internet never reaches this computer, whatever name or address leads there', async () => {
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    response.end('secret')
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  try {
    // The same host is reachable without the option, and its connection stays open.
    const open = await exchange(new URL(`http://localhost:${port}/`), undefined, { timeoutMs: 3_000 })
    expect([open.body, requests]).toEqual(['secret', 1])
    for (const host of [
      'localhost',
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::]',
    ])
      await expect(exchange(new URL(`http://${host}:${port}/`), undefined, LIMITS), host).rejects.toThrow(
        'has no address that docsearch may connect to',
      )
    expect(requests).toBe(1)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
