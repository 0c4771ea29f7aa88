import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SIGN_GROUP_ROWS, signGroupBytes } from '../../../../../src/index/segments/vectors/format.ts'
import {
  allocateForKernel,
  bytesOfKernelFile,
  MIN_KERNEL_FILE_BYTES,
} from '../../../../../src/index/segments/vectors/kernel-memory.ts'
import { RestRows } from '../../../../../src/index/segments/vectors/rest.ts'
import { SignKernel } from '../../../../../src/index/segments/vectors/sign-kernel.ts'
import { signSections } from '../../../../../src/index/segments/vectors/signs.ts'
import { seeded } from '../../../../support/seeded.ts'

const fileBytes = bytesOfKernelFile(allocateForKernel(MIN_KERNEL_FILE_BYTES)!)

/** Copies an array into memory that the kernel reads without copying. */
function inFile<T extends Int8Array | Float32Array>(array: T, at: number): T {
  fileBytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at)
  const Type = array.constructor as new (buffer: ArrayBufferLike, at: number, length: number) => T
  return new Type(fileBytes.buffer, at, array.length)
}

test('the kernel finds the rows whose estimated scores reach a threshold, copied or within a file', () => {
  const strides = fc.constantFrom(8, 16, 24, 256, 1_024)
  fc.assert(
    fc.property(
      strides,
      fc.nat(70),
      fc.integer({ min: 1, max: 256 }),
      fc.boolean(),
      fc.nat(1_000),
      (stride, before, count, hasRest, seed) => {
        const random = seeded(seed)
        const rows = before + count
        const high = Int8Array.from({ length: rows * stride }, () => Math.floor(random() * 256) - 128)
        const scales = Float32Array.from({ length: rows }, () => (0.5 + random()) / (256 * 128 * Math.sqrt(stride)))
        const source = { high, low: high, scales, restScales: scales, rest: new RestRows(0) }
        const cluster = Array.from({ length: rows }, (_, row) => ({ passage: row, source, row }))
        const centroids = Int8Array.from({ length: stride }, () => Math.floor(random() * 256) - 128)
        const centroidScales = Float32Array.of(1 / Math.hypot(...centroids))
        const { centroidLengths, signs, signFactors } = signSections({ centroids, centroidScales, clusters: [cluster] }, stride)

        const query = Array.from({ length: stride }, () => Math.round((2 * random() - 1) * 1_000))
        const scale = 1 / Math.hypot(...query)
        const restScales = Float32Array.from({ length: rows }, random)
        const rests = hasRest ? Int32Array.from({ length: count }, () => Math.round(100 * random())) : null
        const limits = { base: random() - 0.5, error: random() / 10, restScale: 0.01, threshold: random() - 0.5 }
        const scores = Array.from({ length: count }, (_, i) => {
          const row = before + i
          const dot = query.reduce((sum, component, k) => {
            const centroid = centroids[k]! * centroidScales[0]! * centroidLengths[0]!
            return sum + component * scale * (256 * high[row * stride + k]! * scales[row]! >= centroid ? 1 : -1)
          }, 0)
          const rest = rests === null ? 0 : rests[i]! * restScales[row]! * limits.restScale
          return limits.base + (dot + limits.error) * signFactors[row]! + rest
        })

        const kernel = new SignKernel(stride)
        kernel.setQuery(query, scale)
        const groups = [Math.floor(before / SIGN_GROUP_ROWS), Math.ceil(rows / SIGN_GROUP_ROWS)].map(
          (g) => g * signGroupBytes(stride),
        )
        const copied = { start: before, end: rows, signs: signs.subarray(...groups), factors: signFactors, restScales, rests }
        const shared = {
          ...copied,
          signs: inFile(copied.signs, 0),
          factors: inFile(signFactors, 2 ** 19),
          restScales: inFile(restScales, 2 ** 19 + 2 ** 18),
        }
        for (const estimated of [copied, shared]) {
          const found = new Set(kernel.found.subarray(0, kernel.findPromising(estimated, limits)))
          // The kernel rounds the parts of the query to 6 bits.
          for (const [i, score] of scores.entries())
            if (Math.abs(score - limits.threshold) > 0.05) expect(found.has(i)).toBe(score >= limits.threshold)
        }
      },
    ),
  )
})
