import { foldName } from '../../core/fold-name.ts'
import { type Condition, conditionsOf, type SearchFilter } from '../../core/search-filter.ts'
import { type Bitmap, createBitmap, membersOf, setBit, setRange } from './bitmap.ts'
import { lowerBound } from './lower-bound.ts'
import { pageTable } from './page-table.ts'
import type { Segment } from './segment.ts'
import type { SegmentReader } from './segment-reader.ts'

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
