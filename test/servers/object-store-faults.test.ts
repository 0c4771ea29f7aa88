import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { errorCode } from '../support/codes.ts'
import { startS3rver, type TestStore } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import type { Fault, SeenRequest } from '../support/store-proxy.ts'
import { tempFolder } from '../support/temp-folder.ts'

let server: TestStore
beforeAll(async () => {
  server = await startS3rver({ addsConditions: true })
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(() => {
  server.proxy.fault = () => 'pass'
})

/** The first requests with a method get these faults, one after another. */
function meet(method: string, ...faults: Fault[]): void {
  server.proxy.fault = (seen: SeenRequest) => (seen.method === method ? (faults.shift() ?? 'pass') : 'pass')
}

const QUICK = { answerMs: 600, stallMs: 600 }
const BYTES = randomBytes(3_000_000)

for (const fault of ['refuse', 'fail', 'hang', 'lose'] as const) {
  test(`a put succeeds after a fault: ${fault}`, async () => {
    const store = await openStore(server, QUICK)
    meet('PUT', fault, fault)
    await store.put('key', BYTES)
    expect((await buffer((await store.read('key'))!.stream)).equals(BYTES)).toBe(true)
  })

  test(`a file is opened again for each attempt to store it: ${fault}`, async () => {
    const store = await openStore(server, QUICK)
    const path = join(await tempFolder(), 'file')
    await writeFile(path, BYTES)
    meet('PUT', fault)
    await store.putFile('key', { path, size: BYTES.length, sha256: createHash('sha256').update(BYTES).digest('hex') })
    expect((await buffer((await store.read('key'))!.stream)).equals(BYTES)).toBe(true)
  })

  test(`does not mistake its own write for another writer's after a fault: ${fault}`, async () => {
    const store = await openStore(server, QUICK)
    meet('PUT', fault, fault)
    expect(await store.create('key', Buffer.from('mine'))).toBe(true)
    meet('PUT', fault)
    expect(await store.create('key', Buffer.from('too late'))).toBe(false)
  })
}

for (const fault of ['refuse', 'fail', 'hang', 'cut', 'stall'] as const)
  test(`a read continues after a fault: ${fault}`, async () => {
    const store = await openStore(server, QUICK)
    await store.put('key', BYTES)
    meet('GET', fault, fault, fault)
    expect((await buffer((await store.read('key'))!.stream)).equals(BYTES)).toBe(true)
    meet('GET', fault)
    const part = await store.read('key', { start: 1_000, end: 2_000_000 })
    expect((await buffer(part!.stream)).equals(BYTES.subarray(1_000, 2_000_001))).toBe(true)
  })

test('a slow reader does not count as a fault of the store', async () => {
  const store = await openStore(server, QUICK)
  await store.put('key', BYTES)
  server.proxy.seen.length = 0
  const { stream } = (await store.read('key'))!
  let size = 0
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    // Longer than the limit for a byte of the store.
    if (size === 0) await new Promise((resolve) => setTimeout(resolve, 2 * QUICK.stallMs))
    size += bytes.length
  }
  expect(size).toBe(BYTES.length)
  expect(server.proxy.seen.filter(({ method }) => method === 'GET')).toHaveLength(1)
})

test('a reader that stops early closes the connection, and its error stays its own', async () => {
  const store = await openStore(server, QUICK)
  await store.put('key', BYTES)
  server.proxy.seen.length = 0
  const { stream } = (await store.read('key'))!
  stream.once('data', () => stream.destroy(new Error('the reader has gone')))
  await expect(buffer(stream)).rejects.toThrow('the reader has gone')
  const unread = (await store.read('key'))!
  unread.stream.destroy()
  expect(server.proxy.seen.filter(({ method }) => method === 'GET')).toHaveLength(2)
})

test('reports an unreachable store with a reason, and reports when it is back', async () => {
  const store = await openStore(server, QUICK)
  expect(store.state()).toEqual({ status: 'ok', message: 'The object store answers.' })
  server.proxy.fault = () => 'refuse'
  const unavailable = { code: errorCode('store_unavailable'), retryAfter: 5 }
  await expect(store.put('key', Buffer.from('x'))).rejects.toMatchObject(unavailable)
  expect(store.state()).toEqual({
    status: 'degraded',
    message: 'The object store does not answer: ECONNRESET. docsearch tries again.',
  })
  server.proxy.fault = () => 'hang'
  await expect(store.find('key')).rejects.toMatchObject(unavailable)
  expect(store.state().message).toContain('no answer within 0.6 s')
  server.proxy.fault = () => 'pass'
  expect(await store.find('nothing')).toBeNull()
  expect(store.state().status).toBe('ok')
})

test('a store that never answers is asked again only for a while, because a user waits', async () => {
  const store = await openStore(server, { answerMs: 300, silenceMs: 600 })
  server.proxy.fault = () => 'hang'
  server.proxy.seen.length = 0
  await expect(store.find('key')).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  expect(server.proxy.seen).toHaveLength(2)
})

test('requests do not pile up while the store is down: each is tried once', async () => {
  const store = await openStore(server, QUICK)
  server.proxy.fault = () => 'fail'
  await expect(store.find('a')).rejects.toThrow()
  server.proxy.seen.length = 0
  await expect(Promise.all([store.find('b'), store.find('c')])).rejects.toThrow()
  expect(server.proxy.seen.length).toBeLessThanOrEqual(2)
})

test('distinguishes a missing bucket from a missing object', async () => {
  const store = await openStore(server, QUICK, 's3://no-such-bucket/prefix')
  await expect(store.read('key')).rejects.toMatchObject({
    code: errorCode('store_refused'),
    message: expect.stringContaining('NoSuchBucket'),
  })
  expect(store.state().status).toBe('degraded')
})

test('closing ends waiting requests', async () => {
  const store = await openStore(server, { answerMs: 60_000 })
  server.proxy.fault = () => 'hang'
  const waiting = store.find('key')
  store.close()
  await expect(waiting).rejects.toThrow()
})
