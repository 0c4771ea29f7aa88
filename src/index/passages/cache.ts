import type { Passage } from '../chunk-index.ts'

/** The memory of an entry without its texts: the object, its numbers, and its place in the map. */
const ENTRY_BYTES = 400
/** V8 stores a text with 1 or 2 bytes for each character. */
const CHAR_BYTES = 2

/** Keeps the passages that were read last, up to a number of bytes. Entries never get stale, because a stored passage never changes. */
export class PassageCache {
  readonly #entries = new Map<bigint, Passage>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(row: bigint): Passage | undefined {
    const passage = this.#entries.get(row)
    if (passage === undefined) return undefined
    // A Map iterates in the order of insertion, so the first entry is always the one that was used least recently.
    this.#entries.delete(row)
    this.#entries.set(row, passage)
    return passage
  }

  set(row: bigint, passage: Passage): void {
    this.delete(row)
    const bytes = sizeOf(passage)
    if (bytes > this.#maxBytes) return
    this.#entries.set(row, passage)
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.delete(oldest)
    }
  }

  delete(row: bigint): void {
    const passage = this.#entries.get(row)
    if (passage === undefined) return
    this.#entries.delete(row)
    this.#bytes -= sizeOf(passage)
  }
}

function sizeOf({ text, gap, title, heading, context }: Passage): number {
  return ENTRY_BYTES + CHAR_BYTES * (text.length + gap.length + title.length + heading.length + context.length)
}
