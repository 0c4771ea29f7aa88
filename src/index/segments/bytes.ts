import { MAX_PACKED_BITS } from './format.ts'

/** Bytes that grow at the end. */
export class ByteWriter {
  private bytes = new Uint8Array(1024)
  length = 0

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.length++] = value
  }

  varint(value: number): void {
    for (; value >= 0x80; value >>>= 7) this.byte((value & 0x7f) | 0x80)
    this.byte(value)
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Appends the low `bits` bits of each number, from a byte's start to a byte's end. */
  pack(values: ArrayLike<number>, bits: number): void {
    if (bits > MAX_PACKED_BITS) throw new RangeError(`cannot pack ${bits} bits`)
    this.reserve(packedBytes(values.length, bits))
    let pending = 0
    let count = 0
    for (let i = 0; i < values.length; i++) {
      pending |= values[i]! << count
      for (count += bits; count >= 8; count -= 8, pending >>>= 8) this.bytes[this.length++] = pending
    }
    if (count > 0) this.bytes[this.length++] = pending
  }

  /** Returns what was written, without copying it. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more))
    grown.set(this.bytes)
    this.bytes = grown
  }
}

/** Returns the 32-bit FNV-1a hash of bytes. Another basis gives a hash that is independent of the first. */
export function hashOf(bytes: Uint8Array, basis = 0x811c9dc5): number {
  let hash = basis
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash >>> 0
}

/** Returns how many bits a number from 0 on needs, 0 for 0. */
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
  for (let i = 0; i < count; i++) into[i] = unpackOne(bytes, at, bits, i)
}

/** Reads one of the numbers that `ByteWriter.pack` wrote. */
export function unpackOne(bytes: DataView, at: number, bits: number, place: number): number {
  const bit = place * bits
  return (bytes.getInt32(at + (bit >>> 3), true) >>> (bit & 7)) & ((1 << bits) - 1)
}

/** Reads varints from a position that moves. Past the end it reads zeros. */
export class VarintReader {
  readonly bytes: Uint8Array
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
