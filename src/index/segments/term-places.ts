import { lowerBound } from './lower-bound.ts'
import { FIELD_COUNT, FIELDS, NAME_FIELD } from './format.ts'
import { BlockDecoder } from './postings.ts'
import type { SegmentReader } from './segment-reader.ts'
import type { Segment } from './segment.ts'
import { type Term, type TermEntry, termOf } from './term-dictionary.ts'

/** Where a passage contains some terms. `places` and `terms` are parallel lists, ordered by place. */
export interface TermPlaces {
  /** Places among the passage's terms, from 0: the terms of the title, then of the headings, then of the body. */
  places: number[]
  /** For each place, the index of the given term that is there. */
  terms: number[]
  /** Number of terms in the passage, at least 1: a passage without terms counts like one with an empty term. */
  length: number
  /** How many of these terms are in the title. */
  titleLength: number
  /** How many of the next terms are in the headings. */
  headingLength: number
  /** The given terms that the name of the passage's document has, by their indexes. */
  inName: number[]
}

const decoder = new BlockDecoder()
const [HEADING, TITLE] = [FIELDS.indexOf('heading'), FIELDS.indexOf('title')]

/** Returns where each of the passages has the terms, in the order of the passages. The terms are distinct. */
export function termPlaces(
  segments: readonly { reader: SegmentReader }[],
  passages: readonly { segment: number; passage: number }[],
  terms: readonly string[],
): TermPlaces[] {
  // For each passage, one number for each find: it combines the place with the term, so that the numbers can be sorted.
  const found = passages.map((): number[] => [])
  const inName = passages.map((): number[] => [])
  const wanted = terms.map(termOf)
  const bySegment = Map.groupBy([...passages.keys()], (i) => passages[i]!.segment)
  for (const [number, indexes] of bySegment) {
    const { segment } = segments[number]!.reader
    indexes.sort((a, b) => passages[a]!.passage - passages[b]!.passage)
    for (const [i, term] of wanted.entries()) {
      eachPosting(
        segment,
        term,
        indexes.map((index) => passages[index]!.passage),
        (which, posting, start, end) => {
          for (let at = start; at < end; at++) found[indexes[which]!]!.push(decoder.place(at) * terms.length + i)
          if (decoder.frequency(posting, NAME_FIELD) > 0) inName[indexes[which]!]!.push(i)
        },
      )
    }
  }
  return passages.map(({ segment, passage }, i) => {
    const { lengths } = segments[segment]!.reader.segment.sections
    const at = passage * FIELD_COUNT
    let length = 0
    for (let f = 0; f < FIELD_COUNT; f++) if (f !== NAME_FIELD) length += lengths[at + f]!
    const keys = Uint32Array.from(found[i]!).sort()
    return {
      places: Array.from(keys, (key) => Math.floor(key / terms.length)),
      terms: Array.from(keys, (key) => key % terms.length),
      length: Math.max(1, length),
      titleLength: lengths[at + TITLE]!,
      headingLength: lengths[at + HEADING]!,
      inName: inName[i]!,
    }
  })
}

/** Calls `visit` for each place of a term in the passages, which are in ascending order. */
export function eachPlace(
  segment: Segment,
  term: Term,
  passages: readonly number[],
  visit: (which: number, place: number) => void,
): void {
  eachPosting(segment, term, passages, (which, _, start, end) => {
    for (let i = start; i < end; i++) visit(which, decoder.place(i))
  })
}

/**
 * Calls `visit` for each posting of a term in the passages, which are in ascending order. The decoder has the posting, and its places are those
 * from `start` up to `end`.
 */
function eachPosting(
  segment: Segment,
  term: Term,
  passages: readonly number[],
  visit: (which: number, posting: number, start: number, end: number) => void,
): void {
  const dictionaryPlace = segment.terms.find(term)
  if (dictionaryPlace === 0) return
  const entry: TermEntry = { blocks: 0, first: 0 }
  segment.terms.readEntry(dictionaryPlace, entry)
  const { blockLasts } = segment.sections
  let block = -1
  let [posting, place] = [0, 0]
  for (const [which, passage] of passages.entries()) {
    const wanted = entry.blocks === 1 ? 0 : lowerBound(entry.blocks, (b) => blockLasts[entry.first + b]! >= passage)
    if (wanted === entry.blocks) return
    if (wanted !== block) {
      segment.enterBlock(entry, (block = wanted), decoder)
      posting = place = 0
    }
    while (posting < decoder.count && decoder.passages[posting]! < passage) place += decoder.countPlaces(posting++)
    if (posting === decoder.count || decoder.passages[posting] !== passage) continue
    visit(which, posting, place, place + decoder.countPlaces(posting))
  }
}
