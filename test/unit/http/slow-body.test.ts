import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readText } from '../../../src/http/body.ts'

/** Sends this much of a body of five bytes and nothing more; what was read, and whether the connection ended. */
async function send(part: string, mostMs?: number): Promise<{ read: string | null | Error; connection: string }> {
  const read = Promise.withResolvers<string | null | Error>()
  const server = createServer((request, response) => {
    readText(request, 100, mostMs)
      .then(read.resolve, read.resolve)
      .finally(() => response.end('read'))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
  const closed = once(socket, 'close')
  socket.on('error', () => undefined)
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\n${part}`)
  await closed
  return { read: await read.promise, connection: answer === '' ? 'cut' : 'answered' }
}

test('cuts the connection when the body does not arrive in time', async () => {
  expect(await send('12', 20)).toEqual({ read: expect.any(Error), connection: 'cut' })
})

test('reads a body that arrives in time', async () => {
  expect(await send('12345')).toEqual({ read: '12345', connection: 'answered' })
})
