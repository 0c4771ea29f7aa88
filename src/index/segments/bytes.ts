import { MAX_PACKED_BITS } from './format.ts'

/** Bytes that grow at the end. */
export class ByteWriter {
  private bytes = new Uint8Array(1024)
  length = 0

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1)
    this.bytes[this.length++] = value
  }

  varint(value: number): void {
    for (; value >= 0x80; value >>>= 7) this.byte((value & 0x7f) | 0x80)
    this.byte(value)
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    this.reserve(end - start)
    for (let i = start; i < end; i++) this.bytes[this.length++] = bytes[i]!
  }

  /** Appends the low `bits` bits of the numbers from `start` up to, not including, `end`. Starts at a byte and fills the last byte with zeros. */
  pack(values: ArrayLike<number>, start: number, end: number, bits: number): void {
    if (bits > MAX_PACKED_BITS) throw new RangeError(`cannot pack ${bits} bits`)
    this.reserve(packedBytes(end - start, bits))
    const { bytes } = this
    let at = this.length
    let pending = 0
    let count = 0
    for (let i = start; i < end; i++) {
      pending |= values[i]! << count
      for (count += bits; count >= 8; count -= 8, pending >>>= 8) bytes[at++] = pending
    }
    if (count > 0) bytes[at++] = pending
    this.length = at
  }

  /** Returns what was written, without copying it. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    this.bytes = grown(this.bytes, Math.max(2 * this.bytes.length, this.length + more))
  }
}

/** Returns a longer copy of an array, filled up with zeros. */
export function grown<T extends Uint8Array | Uint16Array | Uint32Array>(array: T, length: number): T {
  const copy = new (array.constructor as new (length: number) => T)(length)
  copy.set(array)
  return copy
}

/** Bytes with varints and packed numbers. */
export interface PackedBytes {
  bytes: Uint8Array
  view: DataView
}

/** Returns a 32-bit hash of bytes: FNV-1a with the last steps of MurmurHash3. Another basis gives a hash that is independent of the first. */
export function hashOf(bytes: Uint8Array, start = 0, end = bytes.length, basis = 0x811c9dc5): number {
  let hash = basis
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Returns how many bits a number needs that is not negative. 0 needs none. */
export function bitsOf(value: number): number {
  return 32 - Math.clz32(value)
}

/** Returns how many bytes `count` packed numbers take. */
export function packedBytes(count: number, bits: number): number {
  return (count * bits + 7) >>> 3
}

/** Reads the numbers that `ByteWriter.pack` wrote. Reads up to four bytes past the last one. */
export function unpack(bytes: DataView, at: number, bits: number, count: number, into: Uint32Array): void {
  if (bits === 0) return void into.fill(0, 0, count)
  const mask = (1 << bits) - 1
  for (let i = 0, bit = 0; i < count; i++, bit += bits) into[i] = (bytes.getInt32(at + (bit >>> 3), true) >>> (bit & 7)) & mask
}

/** Reads one of the numbers that `ByteWriter.pack` wrote. */
export function unpackOne(bytes: DataView, at: number, bits: number, place: number): number {
  const bit = place * bits
  return (bytes.getInt32(at + (bit >>> 3), true) >>> (bit & 7)) & ((1 << bits) - 1)
}

/** Reads varints one after another. Reads zeros past the end. */
export class VarintReader {
  bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  byte(): number {
    return this.bytes[this.at++] ?? 0
  }

  next(): number {
    let byte = this.byte()
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80 && shift < 35; shift += 7) {
      byte = this.byte()
      value |= (byte & 0x7f) << shift
    }
    return value >>> 0
  }
}
