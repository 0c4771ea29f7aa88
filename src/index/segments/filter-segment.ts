import { foldName } from '../../core/fold-name.ts'
import { type Condition, conditionsOf, type SearchFilter } from '../../core/search-filter.ts'
import { type Bitmap, createBitmap, membersOf, setBit, setRange } from './bitmap.ts'
import { lowerBound } from './lower-bound.ts'
import type { Segment } from './segment.ts'
import type { SegmentReader } from './segment-reader.ts'
import type { PageList } from '../../core/page-list.ts'
import { hashOf } from './bytes.ts'

/**
 * Returns the passages of a segment that a filter allows, or null when it allows all. The caller chooses segments by owner and project, and
 * looks up phrases in the texts, so these conditions are not tested here.
 */
export function filterSegment({ segment }: Pick<SegmentReader, 'segment'>, filter: SearchFilter): Bitmap | null {
  const conditions = conditionsOf(filter)
  const sets = conditions.flatMap((condition) => documentsOf(segment, condition))
  const pages = conditions.flatMap((condition) => passagesOnPages(segment, condition))
  if (sets.length + pages.length === 0) return null
  const documents = createBitmap(segment.documents)
  setRange(documents, 0, segment.documents)
  for (const set of sets) for (let word = 0; word < set.length; word++) documents[word]! &= set[word]!
  const passages = createBitmap(segment.passages)
  for (const document of membersOf(documents)) {
    const { start, end } = segment.passagesOf(document)
    setRange(passages, start, end)
  }
  for (const set of pages) for (let word = 0; word < set.length; word++) passages[word]! &= set[word]!
  return passages
}

/** Returns one set of passages for a condition about pages. A passage has to be in all of them. */
function passagesOnPages(segment: Segment, { condition, value }: Condition): Bitmap[] {
  if (condition !== 'isOnPageOf' && condition !== 'isOnNoPageOf') return []
  const found = createBitmap(segment.passages)
  const { passagePages } = segment.sections
  pageTable(value).eachOf(segment, (document, pages) => {
    const { start, end } = segment.passagesOf(document)
    if (pages === null) setRange(found, start, end)
    else
      for (let passage = start; passage < end; passage++) {
        const [first, last] = [passagePages[2 * passage]!, passagePages[2 * passage + 1]!]
        for (let page = first; page <= last; page++) if (pages.has(page)) setBit(found, passage)
      }
  })
  return [condition === 'isOnPageOf' ? found : inverted(found)]
}

/** Returns one set of documents for each part of a condition. A document has to be in all of them. */
function documentsOf(segment: Segment, { condition, fields, value }: Condition): Bitmap[] {
  const { documentTimes } = segment.sections
  switch (condition) {
    case 'isOneOf':
      if (fields[0] === 'documentId')
        return [
          bitmapOf(
            segment,
            value.flatMap((id) => segment.documentsWithId(id)),
          ),
        ]
      return fields[0] === 'mediaType' ? [withMediaType(segment, value)] : []
    case 'isNoneOf':
      return [inverted(withMediaType(segment, value))]
    case 'hasAnyOf':
      return [withTag(segment, value)]
    case 'hasAllOf':
      return value.map((tag) => withTag(segment, [tag]))
    case 'hasNoneOf':
      return [inverted(withTag(segment, value))]
    case 'startsWithAny':
      return [withPathPrefixes(segment, value)]
    case 'startsWithNone':
      return [inverted(withPathPrefixes(segment, value))]
    case 'startsWith':
      return [withPathPrefix(segment, value.toWellFormed())]
    case 'isAtOrAfter':
      return [where(segment, (document) => documentTimes[document]! >= value.getTime())]
    case 'isBefore':
      return [where(segment, (document) => documentTimes[document]! < value.getTime())]
    case 'containsAll':
      return value.map((part) => withNamePart(segment, part))
    case 'containsNone':
      return value.map((part) => inverted(withNamePart(segment, part)))
    case 'hasAllPhrases':
    case 'hasNoPhrase':
    case 'isOnPageOf':
    case 'isOnNoPageOf':
      return []
  }
}

function inverted(bitmap: Bitmap): Bitmap {
  return bitmap.map((word) => ~word)
}

function bitmapOf(segment: Segment, documents: readonly number[]): Bitmap {
  const bitmap = createBitmap(segment.documents)
  for (const document of documents) setBit(bitmap, document)
  return bitmap
}

function where(segment: Segment, accepts: (document: number) => boolean): Bitmap {
  const bitmap = createBitmap(segment.documents)
  for (let document = 0; document < segment.documents; document++) if (accepts(document)) setBit(bitmap, document)
  return bitmap
}

function withMediaType(segment: Segment, types: readonly string[]): Bitmap {
  const isWanted = oneOf(segment, types)
  return where(segment, (document) => isWanted(segment.mediaTypeNumber(document)))
}

function withTag(segment: Segment, tags: readonly string[]): Bitmap {
  const isWanted = oneOf(segment, tags)
  return where(segment, (document) => segment.tagNumbers(document).some((tag) => isWanted(tag)))
}

/** Returns a function that says whether a string of the segment is one of the wanted strings. It reads each string of the segment once. */
function oneOf(segment: Segment, wanted: readonly string[]): (number: number) => boolean {
  const texts = new Set(wanted.map((text) => text.toWellFormed()))
  const known = new Map<number, boolean>()
  return (number) => {
    let is = known.get(number)
    if (is === undefined) known.set(number, (is = texts.has(segment.string(number))))
    return is
  }
}

function withPathPrefixes(segment: Segment, prefixes: readonly string[]): Bitmap {
  const all = createBitmap(segment.documents)
  for (const prefix of prefixes)
    withPathPrefix(segment, prefix.toWellFormed()).forEach((word, i) => {
      all[i]! |= word
    })
  return all
}

/** Finds the documents by binary search: they are ordered by path, so the paths with a prefix follow each other. */
function withPathPrefix(segment: Segment, prefix: string): Bitmap {
  const bitmap = createBitmap(segment.documents)
  const first = lowerBound(segment.documents, (document) => segment.path(document) >= prefix)
  const end = lowerBound(segment.documents, (document) => {
    const path = segment.path(document)
    return path >= prefix && !path.startsWith(prefix)
  })
  setRange(bitmap, first, end)
  return bitmap
}

/** Searches the folded names as one text, because searching each name by itself takes ten times as long. */
function withNamePart(segment: Segment, part: string): Bitmap {
  const { foldedNames, foldedNameEnds } = segment.sections
  const names = Buffer.from(foldedNames.buffer as ArrayBuffer, foldedNames.byteOffset, foldedNames.length)
  const wanted = Buffer.from(foldName(part))
  const bitmap = createBitmap(segment.documents)
  if (wanted.length === 0) setRange(bitmap, 0, segment.documents)
  else {
    let document = 0
    for (let at = names.indexOf(wanted); at >= 0; at = names.indexOf(wanted, at)) {
      while (foldedNameEnds[document]! <= at) document++
      const isInside = at + wanted.length <= foldedNameEnds[document]!
      if (isInside) setBit(bitmap, document)
      at = isInside ? foldedNameEnds[document]! : at + 1
    }
  }
  return bitmap
}

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
