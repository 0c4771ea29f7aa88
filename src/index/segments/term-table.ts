import { randomInt } from 'node:crypto'
import { grown, hashOf } from './bytes.ts'
import type { Term } from './term-dictionary.ts'

const BLANK = 0x20
const ENCODER = new TextEncoder()

/**
 * Numbers terms in the order of their first appearance, in a hash table of their bytes. A Map of strings would take three times as long, because
 * each term of each passage would become a string first. The hash has a secret seed, so that nobody can upload terms that collide.
 */
export class TermTable {
  count = 0
  private readonly basis = randomInt(2 ** 32)
  private readonly factor = (randomInt(2 ** 31) * 2 + 1) | 0
  /** The number of a term plus one, or 0 in an empty slot. */
  private slots = new Uint32Array(1024)
  private hashes = new Uint32Array(512)
  /** Where each term starts in `bytes`. It ends where the next one starts. */
  private starts = new Uint32Array(513)
  private bytes = new Uint8Array(4096)
  private input = new Uint8Array(4096)

  /**
   * Writes the numbers of terms to `into`, from `at` on. Blanks separate the terms. `into` needs room for one number for each character. Returns
   * how many terms there are.
   */
  add(terms: string, into: Uint32Array, at: number): number {
    if (terms === '') return 0
    if (this.input.length < 3 * terms.length) this.input = new Uint8Array(6 * terms.length)
    const { input, basis, factor } = this
    const { written } = ENCODER.encodeInto(terms, input)
    let count = 0
    let hash = basis
    for (let i = 0, start = 0; i <= written; i++) {
      const byte = i === written ? BLANK : input[i]!
      if (byte !== BLANK) hash = Math.imul(hash ^ byte, factor)
      else {
        into[at + count++] = this.numberOf(start, i, (hash ^ (hash >>> 15)) >>> 0)
        start = i + 1
        hash = basis
      }
    }
    return count
  }

  /** Calls `visit` for each term, in the order of a dictionary. The term is valid only during the call. */
  eachSorted(visit: (term: Term, number: number) => void): void {
    // A key of 64 bits combines hash and number. Sorting such keys takes a tenth of the time of sorting with a comparison function.
    const keys = new BigUint64Array(this.count)
    const halves = new Uint32Array(keys.buffer)
    for (let number = 0; number < this.count; number++) {
      halves[2 * number] = number
      halves[2 * number + 1] = hashOf(this.bytes, this.starts[number], this.starts[number + 1])
    }
    keys.sort()
    this.sortCollisions(halves)
    const term = { bytes: this.bytes, start: 0, end: 0, hash: 0 }
    for (let i = 0; i < halves.length; i += 2) {
      const number = halves[i]!
      term.hash = halves[i + 1]!
      term.start = this.starts[number]!
      term.end = this.starts[number + 1]!
      visit(term, number)
    }
  }

  /** Puts terms with equal hashes in the order of their bytes. */
  private sortCollisions(halves: Uint32Array): void {
    for (let from = 0, end = 0; from < halves.length; from = end) {
      for (end = from + 2; end < halves.length && halves[end + 1] === halves[from + 1];) end += 2
      if (end - from === 2) continue
      const numbers = Array.from({ length: (end - from) / 2 }, (_, i) => halves[from + 2 * i]!)
      numbers.sort((a, b) => Buffer.compare(this.bytesOf(a), this.bytesOf(b)))
      for (const [i, number] of numbers.entries()) halves[from + 2 * i] = number
    }
  }

  private bytesOf(number: number): Uint8Array {
    return this.bytes.subarray(this.starts[number], this.starts[number + 1])
  }

  private numberOf(start: number, end: number, hash: number): number {
    const { slots, hashes } = this
    const mask = slots.length - 1
    let slot = hash & mask
    for (let found = slots[slot]!; found !== 0; found = slots[slot]!) {
      if (hashes[found - 1] === hash && this.isAt(found - 1, start, end)) return found - 1
      slot = (slot + 1) & mask
    }
    this.grow(end - start)
    this.hashes[this.count] = hash
    this.slots[this.slots === slots ? slot : this.freeSlot(hash)] = this.count + 1
    const at = this.starts[this.count]!
    for (let i = start; i < end; i++) this.bytes[at + i - start] = this.input[i]!
    this.starts[++this.count] = at + end - start
    return this.count - 1
  }

  /** Returns whether a term has the bytes of the input from `start` up to `end`. */
  private isAt(number: number, start: number, end: number): boolean {
    const { bytes, input } = this
    const at = this.starts[number]!
    if (this.starts[number + 1]! - at !== end - start) return false
    for (let i = start; i < end; i++) if (bytes[at + i - start] !== input[i]) return false
    return true
  }

  /** Makes room for one more term of this many bytes. */
  private grow(bytes: number): void {
    if (this.starts[this.count]! + bytes > this.bytes.length) this.bytes = grown(this.bytes, 2 * this.bytes.length + bytes)
    if (this.count < this.hashes.length) return
    this.hashes = grown(this.hashes, 2 * this.count)
    this.starts = grown(this.starts, 2 * this.count + 1)
    this.slots = new Uint32Array(2 * this.slots.length)
    for (let number = 0; number < this.count; number++) this.slots[this.freeSlot(this.hashes[number]!)] = number + 1
  }

  private freeSlot(hash: number): number {
    const mask = this.slots.length - 1
    let slot = hash & mask
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask
    return slot
  }
}
