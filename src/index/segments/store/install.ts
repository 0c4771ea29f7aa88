import { DELETED } from '../merge.ts'
import type { Installation } from './protocol.ts'
import { StoredSegment } from './stored-segment.ts'

/**
 * Returns a new segment without the passages that were deleted while it was built. `segments` are the current segments of its project. A source
 * that is not among them has been deleted completely.
 */
export function installedSegment(segments: readonly StoredSegment[], { segment, sources, without }: Installation): StoredSegment {
  const installed = StoredSegment.open(segment)
  const deleted = new Set(installed.passagesOf(new Set(without)))
  for (const { name, numbers } of sources) {
    const source = segments.find(({ shared }) => shared.name === name)
    for (const [passage, number] of numbers.entries())
      if (number !== DELETED && (source === undefined || source.deletions.has(passage))) deleted.add(number)
  }
  return installed.without([...deleted])
}
