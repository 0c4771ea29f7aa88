import { randomBytes, randomUUID } from 'node:crypto'
import { type FileHandle, open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DocsearchError } from '../../src/core/errors.ts'
import { type Logger, silentLogger } from '../../src/core/logger.ts'
import { BlockCache } from '../../src/index/segments/remote/block-cache.ts'
import { BLOCK_BYTES, countBlocks, readRemote, type RemoteFile } from '../../src/index/segments/remote-file.ts'
import type { ByteRange } from '../../src/objects/object-store.ts'
import { errorCode } from '../support/codes.ts'
import { mountTmpfs } from '../support/mount.ts'
import { seeded } from '../support/seeded.ts'
import { tempFolder } from '../support/temp-folder.ts'

const READER = new URL('../support/read-remote.ts', import.meta.url)
/** The size of the smallest cache. */
const SLOTS = 64

/** Objects in memory. `failing` makes reads fail. */
function makeStore(objects: Map<string, Uint8Array>) {
  return {
    reads: 0,
    failing: false,
    async read(key: string, range?: ByteRange) {
      this.reads++
      if (this.failing) throw new DocsearchError('store_unavailable', 'No.')
      const bytes = objects.get(key)
      if (bytes === undefined) return null
      return { size: bytes.length, stream: Readable.from([bytes.subarray(range!.start, range!.end + 1)]) }
    },
  }
}

async function openCache(objects: Map<string, Uint8Array>, log: Logger = silentLogger) {
  const store = makeStore(objects)
  const folder = await tempFolder()
  const cache = await BlockCache.open({ folder, objects: store, log, maxBytes: 0 })
  onTestFinished(() => cache.close())
  return { cache, store, folder }
}

function remote(cache: BlockCache, key: string, size: number): RemoteFile {
  return { cache: cache.place, id: randomUUID(), key, size, blocks: new SharedArrayBuffer(4 * countBlocks(size)) }
}

/** Starts a thread. The function that it returns reads a part of a file in this thread. */
function startReader(): (file: RemoteFile, start: number, end: number) => Promise<{ bytes?: Uint8Array; error?: string }> {
  const worker = new Worker(READER)
  onTestFinished(() => void worker.terminate())
  return (file, start, end) =>
    new Promise((resolve) => {
      worker.once('message', resolve)
      worker.postMessage({ file, start, end })
    })
}

test('several threads read files that are larger than the cache', async () => {
  const sizes = [70 * BLOCK_BYTES + 17, 50 * BLOCK_BYTES, 5]
  const objects = new Map(sizes.map((size, i) => [`object ${i}`, randomBytes(size)]))
  const { cache, folder } = await openCache(objects)
  const files = sizes.map((size, i) => remote(cache, `object ${i}`, size))
  const random = seeded(7)
  const readAll = async (read: ReturnType<typeof startReader>) => {
    for (let i = 0; i < 40; i++) {
      const number = Math.floor(random() * files.length)
      const start = Math.floor(random() * sizes[number]!)
      const end = Math.min(sizes[number]!, start + 1 + Math.floor(random() * 8 * BLOCK_BYTES))
      const { bytes } = await read(files[number]!, start, end)
      expect(Buffer.from(bytes!).equals(objects.get(`object ${number}`)!.subarray(start, end)), `${start} to ${end}`).toBe(true)
    }
  }
  await Promise.all([readAll(startReader()), readAll(startReader()), readAll(startReader())])
  expect(cache.size).toBe(SLOTS)
  expect((await stat(join(folder, 'blocks'))).size).toBeLessThanOrEqual(SLOTS * BLOCK_BYTES)
})

test('a thread that needs a block gets an error while the store is down, and the bytes afterwards', async () => {
  const object = randomBytes(3 * BLOCK_BYTES)
  const { cache, store } = await openCache(new Map([['object', object]]))
  const [file, read] = [remote(cache, 'object', object.length), startReader()]
  expect((await read(file, 0, 10)).bytes).toEqual(new Uint8Array(object.subarray(0, 10)))
  store.failing = true
  expect((await read(file, BLOCK_BYTES, BLOCK_BYTES + 10)).error).toBe(errorCode('store_unavailable'))
  // What is in the cache is still there.
  expect((await read(file, 5, 10)).bytes).toEqual(new Uint8Array(object.subarray(5, 10)))
  store.failing = false
  expect((await read(file, BLOCK_BYTES, BLOCK_BYTES + 10)).bytes).toEqual(
    new Uint8Array(object.subarray(BLOCK_BYTES, BLOCK_BYTES + 10)),
  )
  expect(await read(remote(cache, 'other', 10), 0, 10)).toEqual({ error: 'Error' })
})

test('stops filling while the store is down, and logs only the first failure', async () => {
  const object = randomBytes(50 * BLOCK_BYTES)
  const warn = vi.fn<Logger['warn']>()
  const { cache, store } = await openCache(new Map([['object', object]]), { ...silentLogger, warn })
  const [file, read] = [remote(cache, 'object', object.length), startReader()]
  store.failing = true
  await expect(cache.fill([file])).rejects.toMatchObject({ code: errorCode('store_unavailable') })
  expect(store.reads).toBeLessThan(10)
  for (let block = 0; block < 5; block++)
    expect((await read(file, block * BLOCK_BYTES, block * BLOCK_BYTES + 1)).error).toBe(errorCode('store_unavailable'))
  expect(warn).toHaveBeenCalledTimes(1)
  store.failing = false
  await cache.fill([file])
  expect(cache.size).toBe(50)
})

/** Makes writes to the cache in this folder fail, as on a full disk, until the mock that it returns is restored. */
async function fillDisk(folder: string) {
  const handle = await open(join(folder, 'blocks'))
  onTestFinished(() => handle.close())
  const write = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'write')
  onTestFinished(() => write.mockRestore())
  write.mockRejectedValue(Object.assign(new Error('no space'), { code: 'ENOSPC' }))
  return write
}

test('logs failures of the store and of the disk separately', async () => {
  const object = randomBytes(8 * BLOCK_BYTES)
  const warn = vi.fn<Logger['warn']>()
  const { cache, store, folder } = await openCache(new Map([['object', object]]), { ...silentLogger, warn })
  const [file, read] = [remote(cache, 'object', object.length), startReader()]
  const readBlock = (block: number) => read(file, block * BLOCK_BYTES, block * BLOCK_BYTES + 1)
  const logged = () => warn.mock.calls.splice(0).map(([fields]) => (fields as { err: DocsearchError }).err.code)
  const write = await fillDisk(folder)
  for (const block of [0, 1]) expect((await readBlock(block)).error).toBe(errorCode('disk_full'))
  expect(new Set(logged())).toEqual(new Set([errorCode('disk_full')]))
  store.failing = true
  for (const block of [2, 3]) expect((await readBlock(block)).error).toBe(errorCode('store_unavailable'))
  expect(logged()).toEqual([errorCode('store_unavailable')])
  // The store works again, but the disk is still full.
  store.failing = false
  expect((await readBlock(4)).error).toBe(errorCode('disk_full'))
  expect(logged()).toEqual([])
  store.failing = true
  expect((await readBlock(5)).error).toBe(errorCode('store_unavailable'))
  expect(logged()).toEqual([errorCode('store_unavailable')])
  store.failing = false
  write.mockRestore()
  expect((await readBlock(6)).bytes).toHaveLength(1)
})

test('a block that was cached before a restart does not end an outage of the store', async () => {
  const object = randomBytes(3 * BLOCK_BYTES)
  const { cache, store, folder } = await openCache(new Map([['object', object]]))
  await startReader()(remote(cache, 'object', object.length), 0, 1)
  await cache.close()
  const warn = vi.fn<Logger['warn']>()
  const again = await BlockCache.open({ folder, objects: store, log: { ...silentLogger, warn }, maxBytes: 0 })
  onTestFinished(() => again.close())
  const [file, read] = [remote(again, 'object', object.length), startReader()]
  store.failing = true
  expect((await read(file, BLOCK_BYTES, BLOCK_BYTES + 1)).error).toBe(errorCode('store_unavailable'))
  expect((await read(file, 0, 1)).bytes).toHaveLength(1)
  expect((await read(file, 2 * BLOCK_BYTES, 2 * BLOCK_BYTES + 1)).error).toBe(errorCode('store_unavailable'))
  expect(warn).toHaveBeenCalledTimes(1)
})

test('is filled before a thread asks, but never beyond its limit', async () => {
  const objects = new Map([1, 2, 3].map((i) => [`object ${i}`, randomBytes(30 * BLOCK_BYTES)]))
  const { cache, store } = await openCache(objects)
  const files = [...objects].map(([key, { length }]) => remote(cache, key, length))
  await cache.fill(files)
  expect([cache.size, store.reads]).toEqual([SLOTS, SLOTS])
  const read = startReader()
  for (const file of files.slice(0, 2)) expect((await read(file, 0, file.size)).bytes).toHaveLength(file.size)
  expect(store.reads).toBe(SLOTS)
})

test('after a restart, fetches only the blocks that it did not keep, and those that are damaged or were replaced', async () => {
  const objects = new Map([1, 2].map((i) => [`object ${i}`, randomBytes(20 * BLOCK_BYTES + i)]))
  const { cache, store, folder } = await openCache(objects)
  await cache.fill([remote(cache, 'object 1', 20 * BLOCK_BYTES + 1)])
  await cache.close()
  const handle = await open(join(folder, 'blocks'), 'r+')
  await handle.write(Buffer.from('damage'), 0, 6, 3 * BLOCK_BYTES)
  await handle.close()
  store.reads = 0
  const again = await BlockCache.open({ folder, objects: store, log: silentLogger, maxBytes: 0 })
  const files = [...objects].map(([key, { length }]) => remote(again, key, length))
  expect(again.size).toBe(0)
  const read = startReader()
  // One block before the cache is filled.
  expect((await read(files[0]!, 5, 10)).bytes).toEqual(new Uint8Array(objects.get('object 1')!.subarray(5, 10)))
  expect(store.reads).toBe(0)
  await again.fill(files)
  expect([again.size, store.reads]).toEqual([42, 1 + 21])
  for (const file of files) {
    const { bytes } = await read(file, 0, file.size)
    expect(Buffer.from(bytes!).equals(objects.get(file.key)!)).toBe(true)
  }
  expect(store.reads).toBe(22)
  // Without `close`, as after a crash.
  const empty = await BlockCache.open({ folder, objects: store, log: silentLogger, maxBytes: 0 })
  onTestFinished(() => empty.close())
  await empty.fill([remote(empty, 'object 2', 20 * BLOCK_BYTES + 2)])
  expect(store.reads).toBe(22 + 21)
  await again.close()
})

test('blocks from before a restart make room for others', async () => {
  const objects = new Map([1, 2].map((i) => [`object ${i}`, randomBytes(60 * BLOCK_BYTES)]))
  const { cache, store, folder } = await openCache(objects)
  await cache.fill([remote(cache, 'object 1', 60 * BLOCK_BYTES)])
  await cache.close()
  const again = await BlockCache.open({ folder, objects: store, log: silentLogger, maxBytes: 0 })
  onTestFinished(() => again.close())
  const other = remote(again, 'object 2', 60 * BLOCK_BYTES)
  await again.fill([other])
  expect(again.size).toBe(60)
  const { bytes } = await startReader()(other, 0, other.size)
  expect(Buffer.from(bytes!).equals(objects.get('object 2')!)).toBe(true)
  expect((await stat(join(folder, 'blocks'))).size).toBeLessThanOrEqual(SLOTS * BLOCK_BYTES)
})

test('replaces the blocks that were read longest ago', async () => {
  const objects = new Map([1, 2].map((i) => [`object ${i}`, randomBytes(60 * BLOCK_BYTES)]))
  const { cache, store } = await openCache(objects)
  const [used, other] = [...objects].map(([key, { length }]) => remote(cache, key, length)) as [RemoteFile, RemoteFile]
  await cache.fill([used])
  new Uint32Array(cache.place.usedAt).fill(1)
  const read = startReader()
  // These ten blocks are in use.
  await read(used, 0, 10 * BLOCK_BYTES)
  for (let block = 0; block < 45; block++) await read(other, block * BLOCK_BYTES, block * BLOCK_BYTES + 1)
  const before = store.reads
  await read(used, 0, 10 * BLOCK_BYTES)
  expect(store.reads - before).toBeLessThan(5)
})

test('keeps its capacity after a time in which the disk was full', async () => {
  const object = randomBytes(70 * BLOCK_BYTES)
  const { cache, store, folder } = await openCache(new Map([['object', object]]))
  const [file, read] = [remote(cache, 'object', object.length), startReader()]
  const write = await fillDisk(folder)
  await cache.fill([file])
  // The blocks after the first failure are not fetched.
  expect(store.reads).toBeLessThan(10)
  for (let block = 0; block < 70; block++)
    expect((await read(file, block * BLOCK_BYTES, block * BLOCK_BYTES + 1)).error).toBe(errorCode('disk_full'))
  write.mockResolvedValue({ bytesWritten: 5, buffer: object } as never)
  expect((await read(file, 0, 1)).error).toBe(errorCode('disk_full'))
  expect(cache.size).toBe(0)
  write.mockRestore()
  expect(Buffer.from((await read(file, 0, object.length)).bytes!).equals(object)).toBe(true)
  expect(cache.size).toBe(SLOTS)
})

test('on a full disk, new blocks replace others, and the cache grows again later', async ({ skip }) => {
  const folder = await tempFolder()
  const mount = mountTmpfs(folder, `${70 * BLOCK_BYTES}`)
  if (mount === null) skip('this machine does not allow mounting a small file system')
  onTestFinished(() => mount!.unmount())
  const ballast = join(folder, 'ballast')
  await writeFile(ballast, Buffer.alloc(30 * BLOCK_BYTES))
  const object = randomBytes(60 * BLOCK_BYTES)
  const store = makeStore(new Map([['object', object]]))
  const cache = await BlockCache.open({ folder, objects: store, log: silentLogger, maxBytes: 0 })
  onTestFinished(() => cache.close())
  const [file, read] = [remote(cache, 'object', object.length), startReader()]
  await cache.fill([file])
  expect(cache.size).toBeLessThanOrEqual(40)
  const readAll = async () => Buffer.from((await read(file, 0, object.length)).bytes!).equals(object)
  expect(await readAll()).toBe(true)
  expect(await readAll()).toBe(true)
  expect(cache.size).toBeLessThanOrEqual(40)
  await rm(ballast)
  const later = performance.now() + 3_600_000
  const time = vi.spyOn(performance, 'now').mockReturnValue(later)
  onTestFinished(() => time.mockRestore())
  expect(await readAll()).toBe(true)
  expect(cache.size).toBeGreaterThan(40)
})

test('a thread gets an error when an object is shorter than it should be', async () => {
  const { cache } = await openCache(new Map([['object', randomBytes(BLOCK_BYTES + 10)]]))
  const [file, read] = [remote(cache, 'object', BLOCK_BYTES + 20), startReader()]
  expect((await read(file, 0, 10)).bytes).toHaveLength(10)
  expect((await read(file, BLOCK_BYTES, BLOCK_BYTES + 20)).error).toBe(errorCode('store_unavailable'))
})

test('a read ends at its deadline when the cache has less than a block', async () => {
  const { cache } = await openCache(new Map())
  const file = remote(cache, 'object', 10)
  new Int32Array(file.blocks)[0] = 1
  const time = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(60_000)
  onTestFinished(() => time.mockRestore())
  expect(() => readRemote(file, new Uint8Array(10), 0)).toThrow(expect.objectContaining({ code: 'store_unavailable' }))
})
