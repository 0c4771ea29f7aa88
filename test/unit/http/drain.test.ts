import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { afterEach, expect, test } from 'vitest'
import type { Principal } from '../../../src/core/model.ts'
import { drainer } from '../../../src/http/middleware/problem-errors.ts'
import type { State } from '../../../src/http/routing/context.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** Starts a server that refuses every request before it has read the body, and drops at most ten pieces of bodies without a credential. */
async function start(principal?: Principal): Promise<string> {
  const drain = drainer({ maxAnonymousPieces: 10 })
  const app = new Koa<State>()
  app.use((ctx) => {
    if (principal !== undefined) ctx.state.principal = principal
    ctx.status = 401
    ctx.body = 'refused'
    drain(ctx)
  })
  const handle = app.callback()
  server = createServer((message, response) => void handle(message, response))
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Sends a body of this many bytes. Resolves to whether the server took all of it. */
function send(url: string, bytes: number): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', headers: { 'Content-Length': bytes } }, (response) => response.resume())
    sent.on('error', () => resolve(false))
    sent.on('close', () => resolve(sent.writableFinished))
    sent.end(Buffer.alloc(bytes))
  })
}

const SMALL = 100_000
const LARGE = 30_000_000

test('drops the rest of a refused body, so that the client can read the answer', async () => {
  expect(await send(await start(), SMALL)).toBe(true)
})

test('cuts off an address without a credential that sends too much', async () => {
  const url = await start()
  expect(await send(url, LARGE)).toBe(false)
})

test('drops a large body of a caller with a credential', async () => {
  const principal: Principal = {
    userId: 'usr_1',
    scopes: new Set(),
    projectIds: null,
    via: 'api_key',
    credentialId: 'key_1',
    credentialName: null,
    expiresAt: null,
  }
  expect(await send(await start(principal), LARGE)).toBe(true)
})
