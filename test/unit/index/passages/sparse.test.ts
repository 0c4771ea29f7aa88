import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSparse, encodeSparse } from '../../../../src/index/passages/sparse.ts'

/** Values that a 16-bit float holds exactly. */
const value = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  fc.integer({ min: -2_048, max: 2_048 }).map((n) => n / 4_096),
)

test('any values survive, and each 0 takes one bit', () => {
  const vectors = fc.array(value, { maxLength: 200 }).map((values) => Float32Array.from(values))
  fc.assert(
    fc.property(vectors, fc.nat(200), (vector, nat) => {
      const from = Math.min(nat, vector.length)
      const bytes = encodeSparse(vector, from)
      const rest = vector.subarray(from)
      expect(bytes.length).toBe(Math.ceil(rest.length / 8) + 2 * rest.filter((x) => x !== 0).length)
      const decoded = new Float32Array(vector.length)
      decoded.set(vector.subarray(0, from))
      decodeSparse(bytes, decoded, from)
      expect(decoded).toEqual(vector)
    }),
  )
})

test('bytes of another length are refused', () => {
  const bytes = encodeSparse(Float32Array.of(1, 0, 2), 0)
  for (const wrong of [bytes.subarray(0, -1), new Uint8Array([...bytes, 0])])
    expect(() => decodeSparse(wrong, new Float32Array(3), 0)).toThrow(RangeError)
})
