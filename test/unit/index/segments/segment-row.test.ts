import { expect, test } from 'vitest'
import { rowOf } from '../../../../src/index/segments/segment-row.ts'
import { buildSegment, divide, openSegment, randomDocuments } from '../../../support/random-segments.ts'

const BODY = 1

function segmentsOf(isDeleted?: (row: bigint) => boolean) {
  return divide(randomDocuments(7, 60, 5), 20).map((documents) => ({ reader: openSegment(buildSegment(documents), isDeleted) }))
}

test('looks a term up once for the same array of segments', () => {
  const segments = segmentsOf()
  expect(rowOf(segments).find('w1')).toBe(rowOf(segments).find('w1'))
  expect(rowOf(segments).find('absent').segments).toHaveLength(0)
})

test('a new generation of deletions does not use frequencies that an earlier one remembered', () => {
  const [before, after] = [rowOf(segmentsOf()), rowOf(segmentsOf((row) => row % 3n === 0n))]
  const having = before.frequency(before.find('w1'), BODY)
  expect(having).toBeGreaterThan(0)
  expect(after.frequency(after.find('w1'), BODY)).toBeLessThan(having)
})

test('forgets terms before they take too much memory', () => {
  const row = rowOf(segmentsOf())
  const first = row.find('w1')
  for (let i = 0; i < 20_000; i++) row.find(`other${i}`)
  expect(row.find('w1')).not.toBe(first)
  expect(row.find('w1')).toEqual(first)
})
