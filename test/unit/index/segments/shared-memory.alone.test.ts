import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { countMemory } from '../../../../src/index/segments/paged-file.ts'

const MB = 2 ** 20

test('V8 collects shared memory that nothing refers to', async () => {
  let collected = 0
  const registry = new FinalizationRegistry(() => collected++)
  for (let i = 0; i < 2_000 && collected === 0; i++) {
    const shared = new SharedArrayBuffer(8 * MB)
    registry.register(shared, null)
    countMemory(shared)
    await setImmediate()
  }
  expect(collected).toBeGreaterThan(0)
})

test('counting shared memory takes no memory', () => {
  const before = process.memoryUsage.rss()
  const shared = new SharedArrayBuffer(512 * MB)
  countMemory(shared)
  expect(process.memoryUsage.rss() - before).toBeLessThan(256 * MB)
  expect(shared.byteLength).toBe(512 * MB)
})
