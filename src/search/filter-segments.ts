import { conditionsOf } from '../core/search-filter.ts'
import { createBitmap, setBit, type Bitmap } from '../index/segments/bitmap.ts'
import { filterSegment } from '../index/segments/filter-segment.ts'
import type { OpenSegment } from '../index/segments/open-segment.ts'
import type { SearchedSegment } from '../index/segments/search.ts'
import type { SegmentReader } from '../index/segments/segment-reader.ts'
import type { FindRequest, SearchedProject } from './find-request.ts'

export type FilteredSegment = OpenSegment & SearchedSegment & { projectId: string }

/** `rowOf` remembers terms for an array of segments. So searches of the same projects use the same array. */
const unfiltered = new WeakMap<readonly SearchedProject[], readonly FilteredSegment[]>()

/** Returns the segments of the projects, each with the passages that a filter and `allowedRows` allow. */
export function filterSegments(
  projects: readonly SearchedProject[],
  { filter, allowedRows }: Pick<FindRequest, 'filter' | 'allowedRows'>,
): readonly FilteredSegment[] {
  if (allowedRows === null && conditionsOf(filter).length === 0) return segmentsOf(projects)
  const rows = allowedRows === null ? null : new Set(allowedRows)
  return projects.flatMap(({ id: projectId, segments }) =>
    segments.map((segment) => {
      const allowed = filterSegment(segment.reader, filter)
      return { ...segment, projectId, allowed: rows === null ? allowed : withRows(segment.reader, rows, allowed) }
    }),
  )
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

/** Returns the allowed passages whose row is one of the given rows. */
function withRows({ segment }: SegmentReader, rows: ReadonlySet<bigint>, allowed: Bitmap | null): Bitmap {
  const bitmap = createBitmap(segment.passages)
  for (let passage = 0; passage < segment.passages; passage++)
    if (rows.has(segment.sections.rows[passage]!)) setBit(bitmap, passage)
  if (allowed !== null) for (let i = 0; i < bitmap.length; i++) bitmap[i]! &= allowed[i]!
  return bitmap
}
