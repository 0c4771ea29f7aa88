import { expect, test } from 'vitest'
import { isPaged, openable } from '../../../../../src/index/segments/paged-file.ts'
import { SegmentBuilder } from '../../../../../src/index/segments/segment-builder.ts'
import { toShared, toSharedVectors } from '../../../../../src/index/segments/store/files.ts'
import { buildVectors } from '../../../../../src/index/segments/vectors/build.ts'

const LAYOUT = { dimensions: 64, denseDimensions: 64 }
const vectors = (count: number) => Array.from({ length: count }, (_, n) => new Float32Array(64).fill(1 + n))

test('a new file of words is in memory that threads share, without a copy', () => {
  const bytes = new SegmentBuilder().finish()
  expect(toShared(bytes)).toBe(bytes.buffer)
})

test.each([10, 20_000])('a new file of %i vectors is in memory that threads share, without a copy', (count) => {
  const bytes = buildVectors(vectors(count), LAYOUT)
  const file = toSharedVectors(bytes)
  expect('memory' in file).toBe(count === 20_000)
  expect(isPaged(file)).toBe(false)
  const { buffer, length } = openable(file) as Uint8Array
  expect(buffer).toBe(bytes.buffer)
  expect(length).toBe(bytes.length)
})
