import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { BroadcastChannel } from 'node:worker_threads'
import pLimit from 'p-limit'
import type { Logger } from '../../../core/logger.ts'
import type { ObjectStore } from '../../../objects/object-store.ts'
import { BLOCK, BLOCK_BYTES, type BlockCachePlace, type BlockWanted, countBlocks, type RemoteFile, now } from '../remote-file.ts'

/** The cache has at least this many slots, because each thread waits for several blocks at once. */
const MIN_SLOTS = 64
/** Blocks to fetch at the same time. */
const FETCHES_AT_ONCE = 32
/** Blocks to fetch at the same time before a search needs them. */
const FILLS_AT_ONCE = 4
/** To make room, the cache compares this many slots and reuses the one that was read longest ago. */
const SAMPLE = 64

interface Slot {
  blocks: Int32Array
  block: number
}

/**
 * Caches blocks of files in an object store, in a file of limited size on disk. The cache keeps the blocks that were read last. All
 * threads read the file, and this thread fetches the blocks that they ask for. The file is empty at each start. Reads verify the
 * checksums of pages, so a damaged block is never used.
 */
export class BlockCache {
  readonly place: BlockCachePlace
  readonly #objects: Pick<ObjectStore, 'read'>
  readonly #log: Logger
  readonly #file: FileHandle
  readonly #channel: BroadcastChannel
  readonly #fetching = new Map<string, Promise<void>>()
  readonly #inTurn = pLimit(FETCHES_AT_ONCE)
  /** Null while a block is being written into the slot, and if that failed. */
  readonly #slots: (Slot | null)[] = []
  /** Slots into which no block could be written. */
  readonly #freeSlots: number[] = []
  #failedWrites = 0
  readonly #maxSlots: number
  readonly #usedAt: Uint32Array
  #isClosed = false

  private constructor(
    file: FileHandle,
    { objects, log, maxBytes }: { objects: Pick<ObjectStore, 'read'>; log: Logger; maxBytes: number },
  ) {
    this.#file = file
    this.#objects = objects
    this.#log = log
    this.#maxSlots = Math.max(MIN_SLOTS, Math.floor(maxBytes / BLOCK_BYTES))
    const usedAt = new SharedArrayBuffer(4 * this.#maxSlots)
    this.#usedAt = new Uint32Array(usedAt)
    this.place = { channel: `docsearch-blocks-${randomUUID()}`, handle: file.fd, usedAt }
    this.#channel = new BroadcastChannel(this.place.channel)
    this.#channel.unref()
    this.#channel.onmessage = (event) => void this.#bring((event as { data: BlockWanted }).data)
  }

  /** `folder` is created when it does not exist. */
  static async open({
    folder,
    ...options
  }: {
    folder: string
    objects: Pick<ObjectStore, 'read'>
    log: Logger
    maxBytes: number
  }): Promise<BlockCache> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return new BlockCache(await open(join(folder, 'blocks'), 'w+', 0o600), options)
  }

  /** How many blocks are in the cache. */
  get size(): number {
    return this.#slots.filter((slot) => slot !== null).length
  }

  /** Fetches blocks of these files, until the cache is full or the disk takes no more. */
  async fill(files: readonly RemoteFile[]): Promise<void> {
    const inTurn = pLimit(FILLS_AT_ONCE)
    const failedBefore = this.#failedWrites
    const hasRoom = () => this.#slots.length - this.#freeSlots.length < this.#maxSlots && this.#failedWrites === failedBefore
    const fillBlock = async (file: RemoteFile, block: number) => {
      const isWanted = !this.#isClosed && hasRoom()
      if (isWanted && Atomics.load(new Int32Array(file.blocks), block) === BLOCK.absent) await this.#bring({ file, block })
    }
    for (const file of files) {
      if (!hasRoom()) return
      await Promise.all(Array.from({ length: countBlocks(file.size) }, (_, block) => inTurn(() => fillBlock(file, block))))
    }
  }

  /** Call this when no thread reads any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#channel.close()
    await Promise.allSettled(this.#fetching.values())
    await this.#file.close()
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
        const bytes = await this.#fetch(file, block)
        if (bytes === null) return wake(BLOCK.missing)
        const slot = await this.#writeBlock(bytes)
        this.#usedAt[slot] = now()
        this.#slots[slot] = { blocks, block }
        wake(slot + 1)
      } catch (error) {
        this.#log.warn({ err: error }, 'a part of a segment could not be fetched')
        wake(BLOCK.unavailable)
      }
    }).finally(() => this.#fetching.delete(name))
    this.#fetching.set(name, fetching)
    return fetching
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

  /** Writes a block into a slot that no file uses, and returns the slot. */
  async #writeBlock(bytes: Buffer): Promise<number> {
    const slot = this.#takeSlot()
    try {
      const { bytesWritten } = await this.#file.write(bytes, 0, bytes.length, slot * BLOCK_BYTES)
      if (bytesWritten !== bytes.length) throw new Error(`the disk took ${bytesWritten} of ${bytes.length} bytes`)
      return slot
    } catch (error) {
      this.#freeSlots.push(slot)
      this.#failedWrites++
      throw error
    }
  }

  /** Returns a slot that no file uses. */
  #takeSlot(): number {
    const free = this.#freeSlots.pop()
    if (free !== undefined) return free
    if (this.#slots.length < this.#maxSlots) return this.#slots.push(null) - 1
    let oldest = -1
    // Some slot has a block, because there are more slots than blocks that are fetched at the same time.
    for (let i = 0; i < SAMPLE || oldest < 0; i++) {
      const slot = Math.floor(Math.random() * this.#slots.length)
      if (this.#slots[slot] !== null && (oldest < 0 || this.#usedAt[slot]! < this.#usedAt[oldest]!)) oldest = slot
    }
    const { blocks, block } = this.#slots[oldest]!
    this.#slots[oldest] = null
    Atomics.compareExchange(blocks, block, oldest + 1, BLOCK.absent)
    return oldest
  }
}
