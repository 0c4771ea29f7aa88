import type { Segment } from './segment.ts'
import type { CollectionStatistics, SegmentReader } from './segment-reader.ts'
import { FIELD_COUNT, NAME_FIELD } from './format.ts'
import { termOf } from './term-dictionary.ts'

/** Where segments have a term. */
export interface TermLists {
  /** The numbers of the segments that have it, in ascending order. */
  segments: Uint32Array
  /** The term's place in the dictionary of each of these segments. */
  places: Uint32Array
  /** By set of fields: how many passages have the term in at least one of these fields. Filled in when it is first needed. */
  having: Map<number, number>
}

/** How much memory the terms that a thread remembers may take, in all rows together. */
const MAX_REMEMBERED_BYTES = 8 * 2 ** 20
/** The memory of a remembered term, without its lists. */
const TERM_BYTES = 500

/** The searched segments, one after another: their passages are numbered through, as if they were in one segment. */
export class SegmentRow {
  readonly segments: readonly Segment[]
  /** The number of each segment's first passage, a multiple of 32. The end of the last segment follows. */
  readonly starts: Float64Array
  readonly statistics: CollectionStatistics = { passages: 0, lengths: new Array<number>(FIELD_COUNT).fill(0) }
  private readonly readers: readonly SegmentReader[]
  private readonly terms = new Map<string, TermLists>()

  constructor(searched: readonly { reader: SegmentReader }[]) {
    this.readers = searched.map(({ reader }) => reader)
    this.segments = this.readers.map(({ segment }) => segment)
    this.starts = new Float64Array(this.segments.length + 1)
    for (const [i, { segment, statistics }] of this.readers.entries()) {
      // Each segment begins with a new word of a bitmap.
      this.starts[i + 1] = this.starts[i]! + 32 * Math.ceil(segment.passages / 32)
      this.statistics.passages += statistics.passages
      for (let f = 0; f < FIELD_COUNT; f++) this.statistics.lengths[f]! += statistics.lengths[f]!
    }
  }

  /** Looks a term up in every segment, or returns what an earlier lookup has found. */
  find(text: string): TermLists {
    const known = this.terms.get(text)
    if (known !== undefined) return known
    const found = this.lookUp(text)
    const bytes = TERM_BYTES + found.segments.byteLength + found.places.byteLength
    if (bytes > MAX_REMEMBERED_BYTES || text.length > TERM_BYTES) return found
    if (remembered + bytes > MAX_REMEMBERED_BYTES) forgetTerms()
    remembered += bytes
    if (this.terms.size === 0) remembering.add(new WeakRef(this))
    this.terms.set(text, found)
    return found
  }

  forget(): void {
    this.terms.clear()
  }

  /** Returns how many passages have a term in at least one field of the set `fields`. */
  frequency({ segments, places, having }: TermLists, fields: number): number {
    let sum = having.get(fields)
    if (sum !== undefined) return sum
    sum = 0
    for (let i = 0; i < segments.length; i++) sum += this.readers[segments[i]!]!.frequency(places[i]!, fields)
    having.set(fields, sum)
    return sum
  }

  private lookUp(text: string): TermLists {
    const term = termOf(text)
    const { segments } = this
    const [numbers, places] = [new Uint32Array(segments.length), new Uint32Array(segments.length)]
    let count = 0
    for (let i = 0; i < segments.length; i++) {
      const place = segments[i]!.terms.find(term)
      if (place === 0) continue
      numbers[count] = i
      places[count++] = place
    }
    return { segments: numbers.slice(0, count), places: places.slice(0, count), having: new Map() }
  }
}

let remembered = 0
/** The rows that remember terms. Nothing keeps the row of a filtered search after the search, so a reference may be empty. */
const remembering = new Set<WeakRef<SegmentRow>>()

function forgetTerms(): void {
  for (const row of remembering) row.deref()?.forget()
  remembering.clear()
  remembered = 0
}

const rows = new WeakMap<readonly { reader: SegmentReader }[], SegmentRow>()

/** Returns the row of some segments. It is the same row for the same array, so that later searches find the remembered terms. */
export function rowOf(segments: readonly { reader: SegmentReader }[]): SegmentRow {
  let row = rows.get(segments)
  if (row === undefined) rows.set(segments, (row = new SegmentRow(segments)))
  return row
}

/** The set of fields that are part of the passage: all but the document's name. */
const PASSAGE_FIELDS = (1 << FIELD_COUNT) - 1 - (1 << NAME_FIELD)

/**
 * Returns how many passages the segments have, and how many of these passages have each term in the title, headings or body. Deleted passages
 * don't count. A term that no passage has is missing from the map.
 */
export function termFrequencies(
  segments: readonly { reader: SegmentReader }[],
  terms: readonly string[],
): { passages: number; frequency: Map<string, number> } {
  const row = rowOf(segments)
  const frequency = new Map<string, number>()
  for (const text of new Set(terms)) {
    const having = row.frequency(row.find(text.toWellFormed()), PASSAGE_FIELDS)
    if (having > 0) frequency.set(text, having)
  }
  return { passages: row.statistics.passages, frequency }
}
