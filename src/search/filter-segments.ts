import { conditionsOf } from '../core/search-filter.ts'
import { type Bitmap, createBitmap, setRange } from '../index/segments/bitmap.ts'
import { filterSegment } from '../index/segments/filter-segment.ts'
import type { OpenSegment } from '../index/segments/open-segment.ts'
import type { SearchedSegment } from '../index/segments/search.ts'
import type { SegmentReader } from '../index/segments/segment-reader.ts'
import type { FindRequest, SearchedProject } from './find-request.ts'
import { Phrases } from './phrases.ts'

export type FilteredSegment = OpenSegment & SearchedSegment & { projectId: string }

/** `rowOf` remembers terms for an array of segments. So searches of the same projects use the same array. */
const unfiltered = new WeakMap<readonly SearchedProject[], readonly FilteredSegment[]>()

/** Returns the segments of the projects, each with the passages that a filter allows. */
export function filterSegments(
  projects: readonly SearchedProject[],
  { filter, rowsWithPhrases }: Pick<FindRequest, 'filter' | 'rowsWithPhrases'>,
): readonly FilteredSegment[] {
  if (rowsWithPhrases === null && conditionsOf(filter).length === 0) return segmentsOf(projects)
  const phrases = new Phrases(filter)
  const rows = rowsWithPhrases === null ? null : new Set(rowsWithPhrases)
  return projects.flatMap(({ id: projectId, segments }) =>
    segments.map((segment) => {
      const { reader } = segment
      const allowed = filterSegment(reader, filter)
      if (rows === null) return { ...segment, projectId, allowed }
      return { ...segment, projectId, allowed: phrases.decided(reader, allowed ?? everyPassage(reader), rows) }
    }),
  )
}

export function everyPassage({ segment }: SegmentReader): Bitmap {
  const all = createBitmap(segment.passages)
  setRange(all, 0, segment.passages)
  return all
}

/** Returns all segments of the projects. Returns the same array for the same projects. */
export function segmentsOf(projects: readonly SearchedProject[]): readonly FilteredSegment[] {
  let all = unfiltered.get(projects)
  if (all === undefined) {
    all = projects.flatMap(({ id: projectId, segments }) => segments.map((segment) => ({ ...segment, projectId, allowed: null })))
    unfiltered.set(projects, all)
  }
  return all
}
