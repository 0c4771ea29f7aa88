/** Smaller buffers don't matter. */
const MIN_COUNTED_BYTES = 65_536

/** For each shared buffer that this thread knows: a private buffer of the same size. */
const counterparts = new WeakMap<ArrayBufferLike, ArrayBuffer>()

/**
 * Makes V8 count shared memory in this thread. V8 looks for garbage when buffers have taken much memory, but counts only private ones:
 * segments that were merged or replaced would stay in memory until something else led to a collection. So each shared buffer gets a private
 * counterpart of the same size that lives as long. A resizable buffer is address space that nobody touches, so it takes no memory.
 */
export function countMemory(shared: ArrayBufferLike): void {
  const { byteLength } = shared
  if (byteLength < MIN_COUNTED_BYTES || counterparts.has(shared)) return
  counterparts.set(shared, new ArrayBuffer(byteLength, { maxByteLength: byteLength }))
}
