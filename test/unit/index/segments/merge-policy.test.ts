import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MERGE_POLICY, planMerges, type SegmentSize } from '../../../../src/index/segments/store/merges.ts'

const of = (passages: number, deleted = 0): SegmentSize => ({ passages, deleted })

test('segments of about one size are merged when there are eight', () => {
  expect(planMerges(Array.from({ length: 7 }, () => of(10)))).toEqual([])
  expect(planMerges([of(900_000), ...Array.from({ length: 8 }, () => of(10))])).toEqual([[1, 2, 3, 4, 5, 6, 7, 8]])
})

test('a segment with many deleted passages is rewritten alone', () => {
  expect(planMerges([of(100, 20), of(100, 21), of(5_000_000, 3_000_000)])).toEqual([[1], [2]])
})

test('a stream of documents leaves few segments, writes each passage few times and never writes a segment above the limit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 500, maxLength: 2_000 }), (sizes) => {
      const policy = { ...MERGE_POLICY, minPassages: 10, maxPassages: 20_000 }
      let segments: SegmentSize[] = []
      let written = 0
      for (const size of sizes) {
        segments.push(of(size))
        for (let groups = planMerges(segments, policy); groups.length > 0; groups = planMerges(segments, policy)) {
          const merged = groups.map((group) => of(group.reduce((sum, i) => sum + segments[i]!.passages, 0)))
          written += merged.reduce((sum, { passages }) => sum + passages, 0)
          segments = [...segments.filter((_, i) => !groups.flat().includes(i)), ...merged]
        }
      }
      const total = sizes.reduce((sum, size) => sum + size, 0)
      const tiers = Math.ceil(Math.log(total / policy.minPassages) / Math.log(policy.segmentsPerTier)) + 1
      expect(segments.length).toBeLessThanOrEqual(
        tiers * policy.segmentsPerTier + total / (policy.maxPassages / policy.segmentsPerTier),
      )
      expect(written).toBeLessThanOrEqual(total * (tiers + 1))
      expect(Math.max(...segments.map(({ passages }) => passages))).toBeLessThanOrEqual(policy.maxPassages)
    }),
    { numRuns: 20 },
  )
})
