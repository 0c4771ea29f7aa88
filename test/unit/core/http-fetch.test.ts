import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { exchange } from '../../../src/core/http-fetch.ts'

test('an answer that switches protocols ends the call', async () => {
  const server = createServer((socket) => {
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframes'),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const answer = await exchange(new URL(`http://127.0.0.1:${port}/`), { method: 'POST', body: 'x' }, { timeoutMs: 5_000 })

  expect(answer).toMatchObject({ status: 101, body: '' })
  server.close()
})
