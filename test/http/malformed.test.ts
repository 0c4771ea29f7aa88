import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { problem } from '../../src/contract/common.ts'
import { systemClock } from '../../src/core/clock.ts'
import { malformedRequests, MAX_HEADER_BYTES } from '../../src/http/problems/malformed.ts'
import { errorCode } from '../support/codes.ts'

let server: Server
beforeAll(async () => {
  server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (_, response) => response.end('reached'))
  server.on(
    'clientError',
    malformedRequests(systemClock, () => 'http://docs.example'),
  )
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())

test.each([
  ['a request that is not HTTP', 'hello\r\n\r\n', 400, errorCode('invalid_http')],
  [
    'headers that are too long',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
    431,
    errorCode('headers_too_large'),
  ],
] as const)('%s gets a problem document like every other error', async (_, request, status, code) => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(request)
  const [head, body] = (await text(socket)).split('\r\n\r\n')
  expect(head).toContain(`HTTP/1.1 ${status} `)
  expect(head).toContain('application/problem+json')
  expect(problem.parse(JSON.parse(body!))).toMatchObject({ status, code: errorCode(code) })
})
