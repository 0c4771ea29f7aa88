import type { SearchFilter } from '../../src/core/search-filter.ts'
import type { PassageIndex } from '../../src/index/passage-index.ts'
import { PLAIN_BM25 } from '../../src/index/segments/bm25f.ts'
import { MatchedPassage } from '../../src/index/segments/matched-passage.ts'
import { searchSegments } from '../../src/index/segments/search.ts'
import type { SegmentHit } from '../../src/index/segments/top-hits.ts'
import { searchVectors } from '../../src/index/segments/vectors/search.ts'
import { type FilteredSegment, filterSegments, findPhraseChecks } from '../../src/search/filter-segments.ts'
import { OpenIndex } from '../../src/search/threads/open-index.ts'

/** Searches all projects unless some are named. */
export type Filter = SearchFilter & { projectIds?: readonly string[] }

/** What a search reads of an index. */
type Searched = Pick<PassageIndex, 'segments' | 'rowsWithPhrases'>

export interface FoundPassage {
  id: string
  documentId: string
  row: bigint
  score: number
}

/** Returns the passages of an index with any of the analysed terms, best first, as a search finds them. */
export async function keywordSearch(
  index: Searched,
  terms: readonly string[],
  filter: Filter,
  limit: number,
): Promise<FoundPassage[]> {
  const segments = await open(index, filter)
  return describe(segments, searchSegments(segments, terms, { limit, scoring: PLAIN_BM25 }))
}

/** Returns the nearest passages of an index, best first, as a search finds them. */
export async function vectorSearch(
  index: Searched,
  vector: Float32Array,
  filter: Filter,
  limit: number,
): Promise<FoundPassage[]> {
  const segments = await open(index, filter)
  return describe(segments, searchVectors(segments, vector, limit))
}

async function open(index: Searched, { projectIds, ...filter }: Filter): Promise<readonly FilteredSegment[]> {
  const opened = new OpenIndex()
  opened.change(index.segments())
  const all = index.segments().map(({ projectId }) => projectId)
  const projects = opened.projectsOf(projectIds ?? all.toSorted())
  const unchecked = { filter, rowsWithPhrases: null }
  const checks = findPhraseChecks(projects, { ...unchecked, question: { terms: [], vector: null, mode: 'keyword' } })
  if (checks === null) return filterSegments(projects, unchecked)
  return filterSegments(projects, {
    filter,
    rowsWithPhrases: BigUint64Array.from(await index.rowsWithPhrases([...checks.rows], filter)),
  })
}

function describe(segments: readonly FilteredSegment[], hits: readonly SegmentHit[]): FoundPassage[] {
  return hits.map(({ segment, passage, score }) => {
    const { id, documentId, row } = new MatchedPassage(segment, passage, segments[segment]!.reader.segment)
    return { id, documentId, row, score }
  })
}
