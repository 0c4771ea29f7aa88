import { LruCache } from '../../core/lru-cache.ts'
import type { Passage } from '../../core/passage.ts'

/** The memory of an entry without its texts: the object, its numbers, and its place in the map. */
const ENTRY_BYTES = 400
/** V8 stores a text with 1 byte for each character if it has only these characters, and otherwise with 2. */
const LATIN_1 = /^[\0-\xff]*$/

/** Keeps the passages that were read last, up to a number of bytes. Entries never get stale, because a stored passage never changes. */
export class PassageCache extends LruCache<Passage, bigint> {
  override set(row: bigint, passage: Passage): void {
    super.set(row, passage, sizeOf(passage))
  }
}

function sizeOf({ text, gap, title, heading, context }: Passage): number {
  return [text, gap, title, heading, context].reduce((sum, part) => sum + textBytes(part), ENTRY_BYTES)
}

function textBytes(text: string): number {
  return LATIN_1.test(text) ? text.length : 2 * text.length
}
