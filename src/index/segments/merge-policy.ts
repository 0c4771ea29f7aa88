/** The sizes that decide whether a segment is merged. */
export interface SegmentSize {
  passages: number
  deleted: number
}

export interface MergePolicy {
  /** A merge joins this many segments of about the same size. */
  segmentsPerTier: number
  /** Smaller segments count as this size, so that single documents don't fill one tier after another. */
  minPassages: number
  /** Segments are not merged into one with more passages than this. */
  maxPassages: number
  /** A segment with a larger share of deleted passages is rewritten, even if it is not merged with others. */
  maxDeletedShare: number
}

export const MERGE_POLICY: MergePolicy = { segmentsPerTier: 8, minPassages: 64, maxPassages: 2_000_000, maxDeletedShare: 0.2 }

/**
 * Returns the groups of segments to merge now, as indexes into the list, smallest segments first. A tier holds segments whose sizes, without
 * deleted passages, differ by less than the factor `segmentsPerTier`. A full tier is merged. So each tier writes a passage once more, and a
 * project has at most `segmentsPerTier - 1` segments in each tier.
 */
export function planMerges(segments: readonly SegmentSize[], policy: MergePolicy = MERGE_POLICY): number[][] {
  const live = segments.map(({ passages, deleted }) => passages - deleted)
  const bySize = [...segments.keys()].sort((a, b) => live[a]! - live[b]! || a - b)
  const tiers = Map.groupBy(bySize, (segment) => tierOf(live[segment]!, policy))
  const groups: number[][] = []
  for (const tier of tiers.values()) {
    for (let from = 0; from < tier.length;) {
      let end = from
      for (let sum = 0; end < tier.length && end - from < policy.segmentsPerTier; end++) {
        sum += live[tier[end]!]!
        if (sum > policy.maxPassages) break
      }
      if (end - from === policy.segmentsPerTier) groups.push(tier.slice(from, end))
      from = Math.max(end, from + 1)
    }
  }
  const merged = new Set(groups.flat())
  for (const segment of bySize) {
    const { passages, deleted } = segments[segment]!
    if (!merged.has(segment) && deleted > passages * policy.maxDeletedShare) groups.push([segment])
  }
  return groups
}

function tierOf(passages: number, { minPassages, segmentsPerTier }: MergePolicy): number {
  return Math.floor(Math.log(Math.max(passages, minPassages) / minPassages) / Math.log(segmentsPerTier) + 1e-9)
}
