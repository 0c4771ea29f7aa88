import type { Passage } from '../../core/passage.ts'

/** The memory of an entry without its texts: the object, its numbers, and its place in the map. */
const ENTRY_BYTES = 400
/** V8 stores a text with 1 byte for each character if it has only these characters, and otherwise with 2. */
const LATIN_1 = /^[\0-\xff]*$/

/** Keeps the passages that were read last, up to a number of bytes. Entries never get stale, because a stored passage never changes. */
export class PassageCache {
  readonly #entries = new Map<bigint, { passage: Passage; bytes: number }>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(row: bigint): Passage | undefined {
    const entry = this.#entries.get(row)
    if (entry === undefined) return undefined
    // A Map iterates in the order of insertion, so the first entry is always the one that was used least recently.
    this.#entries.delete(row)
    this.#entries.set(row, entry)
    return entry.passage
  }

  set(row: bigint, passage: Passage): void {
    this.delete(row)
    const bytes = sizeOf(passage)
    if (bytes > this.#maxBytes) return
    this.#entries.set(row, { passage, bytes })
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.delete(oldest)
    }
  }

  delete(row: bigint): void {
    const entry = this.#entries.get(row)
    if (entry === undefined) return
    this.#entries.delete(row)
    this.#bytes -= entry.bytes
  }
}

function sizeOf({ text, gap, title, heading, context }: Passage): number {
  return [text, gap, title, heading, context].reduce((sum, part) => sum + textBytes(part), ENTRY_BYTES)
}

function textBytes(text: string): number {
  return LATIN_1.test(text) ? text.length : 2 * text.length
}
