import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { BroadcastChannel } from 'node:worker_threads'
import { crc32 } from 'node:zlib'
import pLimit from 'p-limit'
import { z } from 'zod'
import { diskFull, translateDiskError } from '../../../core/disk-errors.ts'
import { isDocsearchError } from '../../../core/errors.ts'
import { jsonOrNull } from '../../../core/json-or-null.ts'
import type { Logger } from '../../../core/logger.ts'
import type { ObjectStore } from '../../../objects/object-store.ts'
import { BLOCK, BLOCK_BYTES, type BlockCachePlace, type BlockWanted, countBlocks, now, type RemoteFile } from '../remote-file.ts'

/** The cache has at least this many slots, because each thread waits for several blocks at once. */
const MIN_SLOTS = 64
/** Blocks to fetch at the same time. */
const FETCHES_AT_ONCE = 32
/** Blocks to fetch at the same time before a search needs them. */
const FILLS_AT_ONCE = 4
/** To make room, the cache compares this many slots and reuses the one that was read longest ago. */
const SAMPLE = 64
/** After the disk refuses a block, the cache does not grow for this long. */
const FULL_MS = 60_000

interface Slot extends Omit<KeptBlock, 'slot'> {
  /** The states of the file's blocks. Null for a block from before the start, until a file needs it. */
  blocks: Int32Array | null
}

/** What the log says when the store or the disk fails. It reports each separately, so that neither failure hides the other. */
const FAILURES = {
  store: 'parts of segments cannot be fetched',
  disk: 'parts of segments cannot be written to the cache',
} as const

/** A slot into which a block was written. */
type Filled = Pick<KeptBlock, 'slot' | 'checksum'>

interface BlockCacheOptions {
  folder: string
  objects: Pick<ObjectStore, 'read'>
  log: Logger
  maxBytes: number
}

const nameOf = ({ key, block }: Pick<KeptBlock, 'key' | 'block'>) => `${key}:${block}`

/**
 * Caches blocks of files in an object store, in a file of limited size on disk. The cache keeps the blocks that were read last. All
 * threads read the file, and this thread fetches the blocks that they ask for. After `close`, the next process on this folder uses the
 * blocks again. After a crash, the cache is empty. Reads verify the checksums of pages, so a damaged block is never used.
 */
export class BlockCache {
  readonly place: BlockCachePlace
  readonly #objects: Pick<ObjectStore, 'read'>
  readonly #log: Logger
  readonly #folder: string
  readonly #file: FileHandle
  readonly #channel: BroadcastChannel
  readonly #fetching = new Map<string, Promise<void>>()
  readonly #inTurn = pLimit(FETCHES_AT_ONCE)
  /** The slots of blocks from before the start that no file has needed yet. */
  readonly #kept = new Map<string, number>()
  /** Null while a block is being written into the slot or checked, and if that failed. */
  readonly #slots: (Slot | null)[] = []
  /** Slots without a block. */
  readonly #freeSlots: number[] = []
  #failedWrites = 0
  /** The store's latest error. */
  #storeFailure: unknown = null
  /** What fails at the moment. */
  readonly #failing = new Set<keyof typeof FAILURES>()
  /** Until this time, new blocks replace others, because the disk was full. */
  #fullUntil = Number.NEGATIVE_INFINITY
  readonly #maxSlots: number
  readonly #usedAt: Uint32Array
  #isClosed = false

  private constructor(file: FileHandle, kept: readonly KeptBlock[], { folder, objects, log, maxBytes }: BlockCacheOptions) {
    this.#file = file
    this.#folder = folder
    this.#objects = objects
    this.#log = log
    this.#maxSlots = Math.max(MIN_SLOTS, Math.floor(maxBytes / BLOCK_BYTES))
    const usedAt = new SharedArrayBuffer(4 * this.#maxSlots)
    this.#usedAt = new Uint32Array(usedAt)
    this.place = { channel: `docsearch-blocks-${randomUUID()}`, handle: file.fd, usedAt }
    this.#channel = new BroadcastChannel(this.place.channel)
    this.#channel.unref()
    this.#channel.onmessage = (event) => void this.#bring((event as { data: BlockWanted }).data)
    for (const { slot, ...block } of kept) {
      if (slot >= this.#maxSlots) continue
      while (this.#slots.length <= slot) this.#slots.push(null)
      this.#slots[slot] = { ...block, blocks: null }
      this.#kept.set(nameOf(block), slot)
    }
    this.#slots.forEach((slot, i) => slot ?? this.#freeSlots.push(i))
  }

  /** `folder` is created when it does not exist. */
  static async open(options: BlockCacheOptions): Promise<BlockCache> {
    const { folder } = options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const kept = await takeKeptBlocks(folder)
    const file = await open(join(folder, 'blocks'), constants.O_RDWR | constants.O_CREAT, 0o600)
    const cache = new BlockCache(file, kept, options)
    await file.truncate(cache.#slots.length * BLOCK_BYTES)
    return cache
  }

  /** How many blocks of open files are in the cache. */
  get size(): number {
    return this.#slots.filter((slot) => slot !== null && slot.blocks !== null).length
  }

  /** Fetches blocks of these files, until the cache is full or the disk takes no more. Throws the store's error if the store fails. */
  async fill(files: readonly RemoteFile[]): Promise<void> {
    const inTurn = pLimit(FILLS_AT_ONCE)
    const [failedBefore, failureBefore] = [this.#failedWrites, this.#storeFailure]
    const isReachable = () => this.#storeFailure === failureBefore
    // Blocks from before the start don't count, because they make room for others.
    const used = () => this.#slots.length - this.#freeSlots.length - this.#kept.size
    const hasRoom = () => used() < this.#maxSlots && this.#failedWrites === failedBefore
    const fillBlock = async (file: RemoteFile, block: number) => {
      const isWanted = !this.#isClosed && hasRoom() && isReachable()
      const state = Atomics.load(new Int32Array(file.blocks), block)
      if (isWanted && (state === BLOCK.absent || state === BLOCK.unavailable)) await this.#bring({ file, block })
    }
    const fillAll = async (isNext: (wanted: BlockWanted) => boolean) => {
      for (const file of files) {
        if (!hasRoom() || !isReachable()) return
        const blocks = Array.from({ length: countBlocks(file.size) }, (_, block) => block)
        await Promise.all(blocks.filter((block) => isNext({ file, block })).map((block) => inTurn(() => fillBlock(file, block))))
      }
    }
    await fillAll(({ file, block }) => this.#kept.has(nameOf({ key: file.key, block })))
    await fillAll(() => true)
    if (!isReachable()) throw this.#storeFailure
  }

  /** Call this when no thread reads any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#channel.close()
    await Promise.allSettled(this.#fetching.values())
    await this.#file.close()
    const kept = this.#slots.flatMap((slot, i) =>
      slot === null ? [] : [{ key: slot.key, block: slot.block, slot: i, checksum: slot.checksum }],
    )
    await writeKeptBlocks(this.#folder, kept).catch((error: unknown) =>
      this.#log.warn(
        { err: error },
        'the next start fetches the cached parts of the index again: their list could not be written',
      ),
    )
  }

  /** Brings a block into the cache and wakes the threads that wait for it. Never rejects. */
  #bring({ file, block }: BlockWanted): Promise<void> {
    const name = `${file.id}:${block}`
    const known = this.#fetching.get(name)
    if (known !== undefined) return known
    const blocks = new Int32Array(file.blocks)
    const wake = (state: number) => {
      Atomics.store(blocks, block, state)
      Atomics.notify(blocks, block)
    }
    const fetching = this.#inTurn(async () => {
      // A thread may have asked just before the block came.
      if (this.#isClosed || Atomics.load(blocks, block) > 0) return
      try {
        const found = (await this.#takeKept(file, block)) ?? (await this.#fetchIntoSlot(file, block))
        if (found === null) return wake(BLOCK.missing)
        const { slot, checksum } = found
        this.#usedAt[slot] = now()
        this.#slots[slot] = { blocks, key: file.key, block, checksum }
        wake(slot + 1)
      } catch (error) {
        if (isDocsearchError(error, 'store_unavailable') || isDocsearchError(error, 'store_refused')) this.#storeFailure = error
        wake(isDocsearchError(error, 'disk_full') ? BLOCK.full : BLOCK.unavailable)
      }
    }).finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, fetching)
    return fetching
  }

  /** Returns the slot of a block from before the start. Null if there is none, or if the disk has damaged it. */
  async #takeKept({ key, size }: BlockWanted['file'], block: number): Promise<Filled | null> {
    const slot = this.#kept.get(nameOf({ key, block }))
    if (slot === undefined) return null
    const { checksum } = this.#slots[slot]!
    this.#forgetKept(slot)
    const bytes = Buffer.alloc(Math.min(size - block * BLOCK_BYTES, BLOCK_BYTES))
    const isWhole = await this.#file.read(bytes, 0, bytes.length, slot * BLOCK_BYTES).then(
      ({ bytesRead }) => bytesRead === bytes.length && crc32(bytes) === checksum,
      () => false,
    )
    if (isWhole) return { slot, checksum }
    this.#freeSlots.push(slot)
    return null
  }

  #forgetKept(slot: number): void {
    this.#kept.delete(nameOf(this.#slots[slot]!))
    this.#slots[slot] = null
  }

  /** Returns null if the store has no such object. */
  async #fetchIntoSlot(file: BlockWanted['file'], block: number): Promise<Filled | null> {
    const bytes = await this.#watch('store', () => this.#fetch(file, block))
    return bytes && { slot: await this.#watch('disk', () => this.#writeBlock(bytes)), checksum: crc32(bytes) }
  }

  /** Does the work. Logs a failure, unless the last work with the same part failed too. */
  async #watch<T>(part: keyof typeof FAILURES, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      this.#failing.delete(part)
      return result
    } catch (error) {
      if (!this.#failing.has(part)) this.#log.warn({ err: error }, FAILURES[part])
      this.#failing.add(part)
      throw error
    }
  }

  /** Returns null if the store has no such object. Throws if the object is shorter than its manifest says: a thread would wait for the rest. */
  async #fetch({ key, size }: BlockWanted['file'], block: number): Promise<Buffer | null> {
    const start = block * BLOCK_BYTES
    const end = Math.min(size, start + BLOCK_BYTES)
    const found = await this.#objects.read(key, { start, end: end - 1 })
    if (found === null) return null
    const bytes = await buffer(found.stream)
    if (bytes.length !== end - start) throw new Error(`the store sent ${bytes.length} bytes of ${key} instead of ${end - start}`)
    return bytes
  }

  /**
   * Writes a block into a slot that no file uses, and returns the slot. While the disk is full, the block replaces another one, because the disk has
   * room only for slots that were written before.
   */
  async #writeBlock(bytes: Buffer): Promise<number> {
    const isFull = performance.now() < this.#fullUntil
    const used = isFull ? this.#takeUsedSlot() : null
    try {
      const slot = await this.#writeInto(used ?? this.#takeSlot(), bytes)
      if (used === null) this.#fullUntil = Number.NEGATIVE_INFINITY
      return slot
    } catch (error) {
      if (!isDocsearchError(error, 'disk_full')) throw error
      if (!isFull) this.#log.warn({ err: error }, 'the cache of the index cannot grow, because the disk is full')
      this.#fullUntil = performance.now() + FULL_MS
      const other = this.#takeUsedSlot()
      if (other === null) throw error
      return this.#writeInto(other, bytes)
    }
  }

  async #writeInto(slot: number, bytes: Buffer): Promise<number> {
    try {
      const { bytesWritten } = await this.#file.write(bytes, 0, bytes.length, slot * BLOCK_BYTES)
      // A disk that has no room for the whole block takes a part of it.
      if (bytesWritten !== bytes.length) throw diskFull(new Error(`the disk took ${bytesWritten} of ${bytes.length} bytes`))
      return slot
    } catch (error) {
      this.#freeSlots.push(slot)
      this.#failedWrites++
      throw translateDiskError(error)
    }
  }

  /** Returns a slot that no file uses. */
  #takeSlot(): number {
    const free = this.#freeSlots.pop()
    if (free !== undefined) return free
    if (this.#slots.length < this.#maxSlots) return this.#slots.push(null) - 1
    // Some slot has a block, because there are more slots than blocks that are fetched at the same time.
    return this.#takeUsedSlot()!
  }

  /** Takes a slot away from the file that uses it: from a sample, the slot that was read longest ago. Returns null if no slot has a block. */
  #takeUsedSlot(): number | null {
    let oldest = -1
    for (let i = 0; i < SAMPLE; i++) {
      const slot = Math.floor(Math.random() * this.#slots.length)
      const hasBlock = this.#slots[slot] != null
      if (hasBlock && (oldest < 0 || this.#usedAt[slot]! < this.#usedAt[oldest]!)) oldest = slot
    }
    if (oldest < 0) oldest = this.#slots.findIndex((slot) => slot !== null)
    if (oldest < 0) return null
    const { blocks, block } = this.#slots[oldest]!
    if (blocks === null) {
      this.#forgetKept(oldest)
      return oldest
    }
    this.#slots[oldest] = null
    Atomics.compareExchange(blocks, block, oldest + 1, BLOCK.absent)
    return oldest
  }
}

const FORMAT_VERSION = 1

/** A block that a closed cache has left in its file. */
interface KeptBlock {
  /** The key of the object in the store. Objects never change. */
  key: string
  block: number
  slot: number
  /** The CRC32 of the block. */
  checksum: number
}

const LIST = z.strictObject({
  format_version: z.literal(FORMAT_VERSION),
  block_bytes: z.literal(BLOCK_BYTES),
  objects: z.array(
    z.strictObject({
      key: z.string(),
      blocks: z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.int().nonnegative()])),
    }),
  ),
})

const fileIn = (folder: string) => join(folder, 'blocks.json')

/**
 * Returns the blocks in the list of a folder, and deletes the list, because it is wrong as soon as the cache changes. Returns no blocks if the list
 * is missing, as after a crash, or damaged.
 */
async function takeKeptBlocks(folder: string): Promise<KeptBlock[]> {
  const text = await readFile(fileIn(folder), 'utf8').catch(() => '')
  await rm(fileIn(folder), { force: true })
  const { data } = LIST.safeParse(jsonOrNull(text))
  const all = data?.objects.flatMap(({ key, blocks }) =>
    blocks.map(([block, slot, checksum]) => ({ key, block, slot, checksum })),
  )
  const slots = new Set(all?.map(({ slot }) => slot))
  return all !== undefined && slots.size === all.length ? all : []
}

async function writeKeptBlocks(folder: string, kept: readonly KeptBlock[]): Promise<void> {
  const objects = [...Map.groupBy(kept, ({ key }) => key)].map(([key, blocks]) => ({
    key,
    blocks: blocks.map(({ block, slot, checksum }) => [block, slot, checksum]),
  }))
  const list = { format_version: FORMAT_VERSION, block_bytes: BLOCK_BYTES, objects }
  await writeFile(fileIn(folder), JSON.stringify(list), { mode: 0o600 })
}
