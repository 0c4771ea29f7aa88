import type { SearchFilter } from '../core/search-filter.ts'
import type { PassageHit } from './chunk-index.ts'
import { type Bitmap, createBitmap, setBit } from './segments/bitmap.ts'
import { PLAIN_BM25 } from './segments/bm25f.ts'
import { filterSegment } from './segments/filter-segment.ts'
import { type OpenSegment, openSegment } from './segments/open-segment.ts'
import { searchSegments } from './segments/search.ts'
import type { ProjectSegments } from './segments/store/project-segments.ts'
import type { SegmentHit } from './segments/top-hits.ts'
import { searchVectors } from './segments/vectors/search.ts'

/** What a search looks at. */
export interface SearchScope {
  projects: readonly ProjectSegments[]
  filter: SearchFilter
  /** The rows that phrases allow. Null without phrases. */
  rows: ReadonlySet<bigint> | null
}

type Searched = OpenSegment & { allowed: Bitmap | null }

/** Returns the passages with any of the terms, best first. A term that is given twice counts twice. */
export function keywordHits(scope: SearchScope, terms: readonly string[], limit: number): PassageHit[] {
  const searched = open(scope)
  return toHits(searched, searchSegments(searched, terms, { limit, scoring: PLAIN_BM25 }))
}

/** Returns the passages whose vectors are nearest, best first. */
export function vectorHits(scope: SearchScope, vector: Float32Array, limit: number): PassageHit[] {
  const searched = open(scope)
  return toHits(searched, searchVectors(searched, vector, limit))
}

function open({ projects, filter, rows }: SearchScope): Searched[] {
  return projects
    .flatMap(({ segments }) => segments)
    .map((shared) => {
      const segment = openSegment(shared)
      const allowed = filterSegment(segment.reader, filter)
      return { ...segment, allowed: rows === null ? allowed : withRows(segment, allowed, rows) }
    })
}

function withRows({ reader }: OpenSegment, allowed: Bitmap | null, wanted: ReadonlySet<bigint>): Bitmap {
  const { rows } = reader.segment.sections
  const bitmap = createBitmap(rows.length)
  for (const [passage, row] of rows.entries()) if (wanted.has(row)) setBit(bitmap, passage)
  return allowed === null ? bitmap : bitmap.map((word, i) => word & allowed[i]!)
}

function toHits(searched: readonly Searched[], hits: readonly SegmentHit[]): PassageHit[] {
  return hits.map(({ segment, passage, score }) => ({ ...searched[segment]!.reader.segment.hitOf(passage), score }))
}
