import { createHash } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Blobs } from '../../src/blobs/blobs.ts'
import { openObjectBlobs } from '../../src/blobs/objects.ts'
import type { ObjectStore } from '../../src/objects/object-store.ts'
import { errorCode } from '../support/codes.ts'
import { startS3rver, startVersitygw, type TestStore, VERSITYGW } from '../support/object-stores.ts'
import { openStore } from '../support/open-store.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { testClock, type TestClock } from '../support/test-clock.ts'
import { blobsConformance } from '../conformance/blobs.ts'

const HOUR = 3_600_000

let server: TestStore
/** Opens the originals of a store as another process would. */
async function openOn(store: ObjectStore, clock: TestClock, cacheBytes = 1_000): Promise<Blobs> {
  return openObjectBlobs({ store, folder: await tempFolder(), cacheBytes, storeTime: async () => clock.now() })
}

async function put(blobs: Blobs, content: string): Promise<string> {
  const file = join(blobs.incoming, 'file')
  await writeFile(file, content)
  const sha256 = createHash('sha256').update(content).digest('hex')
  await blobs.put(file, sha256)
  return sha256
}

const now = () => testClock(new Date().toISOString())

describe('blobs in an object store', () => {
  beforeAll(async () => {
    server = await startS3rver({ addsConditions: true })
  })
  afterAll(() => server[Symbol.asyncDispose]())
  afterEach(() => {
    server.proxy.fault = () => 'pass'
  })

  blobsConformance(async (clock) => openOn(await openStore(server), clock))

  test('every process reads what another one has stored', async () => {
    const store = await openStore(server)
    const [a, b] = [await openOn(store, now()), await openOn(store, now())]
    const sha256 = await put(a, 'shared')
    expect(await b.withFile(sha256, (path) => readFile(path, 'utf8'))).toBe('shared')
    expect(await b.size(sha256)).toBe(6)
  })

  test('a sweep that another process began long ago deletes nothing that was stored since', async () => {
    const store = await openStore(server)
    const [clock, late] = [now(), now()]
    const [uploads, sweeps] = [await openOn(store, clock), await openOn(store, late)]
    const sha256 = await put(uploads, 'again')
    late.advance(HOUR)
    // The process is frozen between its question and the deletion. Meanwhile, the bytes are uploaded again.
    await sweeps.sweep(async () => {
      await put(uploads, 'again')
      return false
    })
    expect(await (await openOn(store, clock)).size(sha256)).toBe(5)
    expect(String(await buffer(await uploads.open(sha256)))).toBe('again')
  })

  test('a sweep leaves one copy of bytes that were stored several times, and other processes find it', async () => {
    const store = await openStore(server)
    const clock = now()
    const [a, b] = [await openOn(store, clock), await openOn(store, clock)]
    const sha256 = await put(a, 'twice')
    await put(b, 'twice')
    clock.advance(HOUR)
    expect(await b.sweep(async () => true)).toBe(0)
    const keys: string[] = []
    for await (const { key } of store.list('')) keys.push(key)
    expect(keys).toHaveLength(1)
    for (const blobs of [a, b]) expect(String(await buffer(await blobs.open(sha256)))).toBe('twice')
  })

  test('fetches a file once for callers at the same time, and again when the cache had no room', async () => {
    const store = await openStore(server)
    const folder = await tempFolder()
    const writer = await openOn(store, now())
    const [first, second] = [await put(writer, 'a'.repeat(700)), await put(writer, 'b'.repeat(700))]
    const blobs = await openObjectBlobs({ store, folder, cacheBytes: 1_000 })
    const gets = () => server.proxy.seen.filter(({ method, url }) => method === 'GET' && !url.includes('list-type')).length
    const before = gets()
    const size = async (path: string) => (await stat(path)).size
    expect(await Promise.all([1, 2, 3].map(() => blobs.withFile(first, size)))).toEqual([700, 700, 700])
    await blobs.withFile(first, size)
    expect(gets() - before).toBe(1)
    await blobs.withFile(first, async () => {
      // Both are over the limit, but one is in use.
      await blobs.withFile(second, size)
      expect(await readdir(join(folder, 'originals'))).toHaveLength(1)
    })
    await blobs.withFile(second, size)
    expect(gets() - before).toBe(3)
  })

  test('does not work with damaged bytes', async () => {
    const store = await openStore(server)
    const sha256 = await put(await openOn(store, now()), 'whole')
    const blobs = await openOn(store, now())
    server.proxy.fault = ({ method, url }) =>
      method === 'GET' && url.includes(`${sha256}/`) && !url.includes('list-type') ? 'spoil-answer' : 'pass'
    const missing = { code: errorCode('blob_missing'), message: expect.stringContaining('is damaged in the object store') }
    await expect(blobs.withFile(sha256, async () => {})).rejects.toMatchObject(missing)
    expect(await blobs.verify({ sha256, sizeBytes: 5 })).toBe('changed')
    server.proxy.fault = () => 'pass'
    expect(await blobs.verify({ sha256, sizeBytes: 5 })).toBeNull()
  })

  test('an original that could not be stored does not exist', async () => {
    const store = await openStore(server)
    const blobs = await openOn(store, now())
    server.proxy.fault = ({ method }) => (method === 'PUT' ? 'refuse' : 'pass')
    await expect(put(blobs, 'lost')).rejects.toMatchObject({ code: errorCode('store_unavailable') })
    const sha256 = createHash('sha256').update('lost').digest('hex')
    await expect(blobs.size(sha256)).rejects.toMatchObject({ code: errorCode('blob_missing') })
  })
})

describe.skipIf(VERSITYGW === null)('blobs on versitygw', () => {
  beforeAll(async () => {
    server = await startVersitygw()
  })
  afterAll(() => server[Symbol.asyncDispose]())
  blobsConformance(async (clock) => openOn(await openStore(server), clock))

  test('a sweep with a clock that is ahead keeps what was just stored', async () => {
    const store = await openStore(server)
    const blobs = await openObjectBlobs({ store, folder: await tempFolder(), cacheBytes: 1_000 })
    const sha256 = await put(blobs, 'new')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR })
    onTestFinished(() => void vi.useRealTimers())
    expect(await blobs.sweep(async () => false)).toBe(0)
    expect(await blobs.verify({ sha256, sizeBytes: 3 })).toBeNull()
    const keys: string[] = []
    for await (const { key } of store.list('')) keys.push(key)
    expect(keys).toEqual([expect.stringContaining(sha256)])
  })

  test('the store refuses bytes that changed on their way, and the upload is repeated', async () => {
    const blobs = await openOn(await openStore(server), now())
    let isFirst = true
    server.proxy.fault = ({ method }) => {
      const fault = method === 'PUT' && isFirst ? 'spoil' : 'pass'
      isFirst &&= method !== 'PUT'
      return fault
    }
    const sha256 = await put(blobs, 'whole')
    expect(server.proxy.seen.filter(({ method, url }) => method === 'PUT' && url.includes(sha256))).toHaveLength(2)
    expect(await blobs.verify({ sha256, sizeBytes: 5 })).toBeNull()
  })
})
