import { readSync } from 'node:fs'
import { BroadcastChannel } from 'node:worker_threads'
import { diskFull } from '../../core/disk-errors.ts'
import { storeUnavailable } from '../../core/store-errors.ts'

/** Files are fetched from an object store in blocks of this size. */
export const BLOCK_BYTES = 262_144
/** How many blocks a read asks for at the same time. */
const BLOCKS_AT_ONCE = 16
/** How long a read waits for a block. */
const WAIT_MS = 10_000
/** How long a read waits before it asks again for a block that the cache may have fetched and replaced meanwhile. */
const ASK_AGAIN_MS = 250

/** The state of a block that is not in the cache. In the cache, the state is the number of its slot plus one. */
export const BLOCK = { absent: 0, unavailable: -1, missing: -2, full: -3 } as const

/** A cache on disk that all threads of a process share (remote/block-cache.ts). */
export interface BlockCachePlace {
  /** The channel on which threads ask for blocks. */
  channel: string
  /** The open file with the slots, one block each. */
  handle: number
  /** When each slot was last read: 32 bits (`now`). */
  usedAt: SharedArrayBuffer
}

/** A file in an object store that threads read through the cache. */
export interface RemoteFile {
  cache: BlockCachePlace
  /** Identifies this object among all objects of this type. */
  id: string
  /** Its key in the object store. */
  key: string
  size: number
  /** The state of each block: 32 bits. */
  blocks: SharedArrayBuffer
}

/** Asks the cache for a block. */
export interface BlockWanted {
  file: Omit<RemoteFile, 'cache'>
  block: number
}

/** Thrown when the object store no longer has the file. */
export class RemoteFileMissing extends Error {}

export function countBlocks(size: number): number {
  return Math.ceil(size / BLOCK_BYTES)
}

/**
 * Fills `bytes` from a position in a file. Blocks this thread while the store sends what is missing, so the main thread must not call it. Throws
 * `store_unavailable`, or `disk_full` if the disk has no room for a block. The cache may replace a block while this function reads it. Then the next
 * attempt fetches the block again.
 */
export function readRemote(file: RemoteFile, bytes: Uint8Array, position: number): void {
  const blocks = new Int32Array(file.blocks)
  const [first, last] = [Math.floor(position / BLOCK_BYTES), Math.floor((position + bytes.length - 1) / BLOCK_BYTES)]
  for (let from = first; from <= last; from += BLOCKS_AT_ONCE) {
    const to = Math.min(last, from + BLOCKS_AT_ONCE - 1)
    for (let block = from; block <= to; block++) if (Atomics.load(blocks, block) <= 0) want(file, blocks, block)
    for (let block = from; block <= to; block++) {
      const start = Math.max(position, block * BLOCK_BYTES)
      const end = Math.min(position + bytes.length, (block + 1) * BLOCK_BYTES)
      copyBlock(file, blocks, block, bytes.subarray(start - position, end - position), start - block * BLOCK_BYTES)
    }
  }
}

function copyBlock(file: RemoteFile, blocks: Int32Array, block: number, bytes: Uint8Array, offset: number): void {
  const { handle, usedAt } = file.cache
  const deadline = performance.now() + WAIT_MS
  // `readRemote` has asked for the block if it was not there. The cache may have fetched and replaced it since.
  for (let hasAsked = true; ; hasAsked = false) {
    const state = Atomics.load(blocks, block)
    if (state > 0) {
      new Uint32Array(usedAt)[state - 1] = now()
      const read = readSync(handle, bytes, 0, bytes.length, (state - 1) * BLOCK_BYTES + offset)
      if (read === bytes.length && Atomics.load(blocks, block) === state) return
    } else if (state === BLOCK.missing) {
      throw new RemoteFileMissing(`the object store has no ${file.key}`)
    } else if (state === BLOCK.full) {
      throw diskFull(new Error('the disk has no room for a block'))
    } else if (state === BLOCK.unavailable) {
      throw storeUnavailable(new Error('the store has not sent a block'))
    }
    const left = deadline - performance.now()
    if (left <= 0) throw storeUnavailable(new Error(`no block within ${WAIT_MS / 1000} s`))
    if (state === BLOCK.absent && !hasAsked) want(file, blocks, block)
    // Returns at once if the state has changed meanwhile.
    Atomics.wait(blocks, block, state, Math.min(left, ASK_AGAIN_MS))
  }
}

/** Returns the time in units of 16 ms, as 32 bits. */
export function now(): number {
  return Math.floor(Date.now() / 16) >>> 0
}

/** The channels of this thread. */
const channels = new Map<string, BroadcastChannel>()

function want({ cache, ...file }: RemoteFile, blocks: Int32Array, block: number): void {
  // An earlier failure says nothing about this attempt.
  const state = Atomics.load(blocks, block)
  if (state < 0) Atomics.compareExchange(blocks, block, state, BLOCK.absent)
  let channel = channels.get(cache.channel)
  if (channel === undefined) {
    channel = new BroadcastChannel(cache.channel)
    channel.unref()
    channels.set(cache.channel, channel)
  }
  channel.postMessage({ file, block } satisfies BlockWanted)
}
