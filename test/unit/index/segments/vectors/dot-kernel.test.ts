import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generateKernels, KERNEL_BYTES } from '../../../../../scripts/kernels/generate.ts'
import { DotKernel } from '../../../../../src/index/segments/vectors/dot-kernel.ts'
import {
  allocateForKernel,
  bytesOfKernelFile,
  MIN_KERNEL_FILE_BYTES,
} from '../../../../../src/index/segments/vectors/kernel-memory.ts'
import { seeded } from '../../../../support/seeded.ts'

test('kernel-bytes.ts is up to date (if not: npm run generate)', async () => {
  expect(readFileSync(KERNEL_BYTES, 'utf8')).toBe(await generateKernels())
})

const file = allocateForKernel(MIN_KERNEL_FILE_BYTES)!
const fileBytes = bytesOfKernelFile(file)

test('the kernel returns the dot products of a query with any number of rows, copied or within a file', () => {
  const strides = fc.constantFrom(8, 16, 24, 256, 1_024)
  fc.assert(
    fc.property(strides, fc.nat(11), fc.nat(3), fc.nat(1_000), (stride, count, from, seed) => {
      const random = seeded(seed)
      const most = Math.min(32_767, DotKernel.maxComponent(stride))
      const isExtreme = seed % 4 === 0
      const query = Array.from({ length: stride }, () => (isExtreme ? most : Math.round((2 * random() - 1) * most)))
      const rows = Int8Array.from({ length: count * stride }, () => (isExtreme ? -128 : Math.floor(random() * 256) - 128))
      const kernel = new DotKernel(stride, count + from)
      kernel.setQuery(query)
      kernel.load(rows, from)
      const expected = Array.from({ length: count }, (_, row) =>
        query.reduce((sum, component, i) => sum + component * rows[row * stride + i]!, 0),
      )
      expect(Array.from(kernel.dots(from, count).subarray(0, count))).toEqual(expected)
      expect(Array.from(kernel.dotsOf(rows).subarray(0, count))).toEqual(expected)
      // At the end of the file, too, where the kernel reads past the last row.
      for (const at of [seed, fileBytes.length - rows.length]) {
        const inFile = new Int8Array(fileBytes.buffer, at, rows.length)
        inFile.set(rows)
        expect(Array.from(kernel.dotsOf(inFile).subarray(0, count))).toEqual(expected)
      }
    }),
  )
})
