import type { PageList } from '../../core/page-list.ts'
import { hashOf } from './bytes.ts'
import type { Segment } from './segment.ts'

const [NEWLINE, SPACE] = [10, 32]

/** A hash table over the lines of a page list. It takes at most 32 bytes for each line, so a list of millions of documents fits a search thread. */
class PageTable {
  readonly #list: Buffer
  /** Where each line starts, plus 1. The hash of its ID gives the slot of a line; if that is taken, the next free slot. */
  readonly #starts: Uint32Array
  readonly #hashes: Uint32Array

  constructor(list: PageList) {
    this.#list = Buffer.from(list.buffer)
    let lines = 1
    for (let at = 0; at < list.length; at++) if (list[at] === NEWLINE) lines++
    const size = 2 ** Math.ceil(Math.log2(2 * lines))
    this.#starts = new Uint32Array(size)
    this.#hashes = new Uint32Array(size)
    for (let start = 0, at = 0; start < list.length; start = ++at) {
      while (at < list.length && list[at] !== SPACE && list[at] !== NEWLINE) at++
      this.#add(start, at)
      while (at < list.length && list[at] !== NEWLINE) at++
    }
  }

  /** Calls `visit` with each document of a segment that has a line. Pages are null for all pages. */
  eachOf(
    segment: Pick<Segment, 'documents' | 'documentId'> & { sections: Pick<Segment['sections'], 'idHashes' | 'documentsByHash'> },
    visit: (document: number, pages: ReadonlySet<number> | null) => void,
  ): void {
    const { idHashes, documentsByHash } = segment.sections
    const mask = this.#starts.length - 1
    for (let i = 0; i < segment.documents; i++) {
      const hash = idHashes[i]!
      for (let place = hash & mask; this.#starts[place] !== 0; place = (place + 1) & mask) {
        if (this.#hashes[place] !== hash) continue
        const document = documentsByHash[i]!
        const [start, id] = [this.#starts[place]! - 1, segment.documentId(document)]
        const end = start + id.length
        if (!this.#has(id, start)) continue
        if (end === this.#list.length || this.#list[end] === NEWLINE) visit(document, null)
        else if (this.#list[end] === SPACE) visit(document, this.#pagesAt(end + 1))
      }
    }
  }

  /** IDs are ASCII. */
  #has(id: string, start: number): boolean {
    for (let i = 0; i < id.length; i++) if (this.#list[start + i] !== id.charCodeAt(i)) return false
    return true
  }

  #add(start: number, end: number): void {
    const hash = hashOf(this.#list, start, end)
    const mask = this.#starts.length - 1
    let place = hash & mask
    while (this.#starts[place] !== 0) place = (place + 1) & mask
    this.#starts[place] = start + 1
    this.#hashes[place] = hash
  }

  #pagesAt(start: number): Set<number> {
    const end = this.#list.indexOf(NEWLINE, start)
    const numbers = this.#list.toString('latin1', start, end < 0 ? this.#list.length : end)
    return new Set(numbers.split(',').map(Number))
  }
}

const tables = new WeakMap<PageList, PageTable>()

/** Returns the table of a list. A search uses the same table for all of its segments. */
export function pageTable(list: PageList): PageTable {
  let table = tables.get(list)
  if (table === undefined) tables.set(list, (table = new PageTable(list)))
  return table
}
