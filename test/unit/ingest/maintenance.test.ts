import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import type { IngestOptions } from '../../../src/ingest/context.ts'
import { createMaintenance } from '../../../src/ingest/maintenance.ts'
import type { Reconciler } from '../../../src/ingest/recovery.ts'
import type { IndexWriter } from '../../../src/ingest/writer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Counts what is tended; `tendMs` is how long the index takes each time, `inWork` how many documents are in work. */
function newMaintenance(tendMs = 0, inWork = () => 0) {
  const optimize = vi.fn<() => Promise<void>>(() => new Promise((resolve) => setTimeout(resolve, tendMs)))
  const sweep = vi.fn<() => Promise<number>>(async () => 0)
  const options = {
    records: { events: { trim: async () => {} }, documents: { isBlobReferenced: async () => true } },
    blobs: { sweep },
    lifecycle: { active: () => ({ index: { optimize } }) },
    log: silentLogger,
  } as unknown as IngestOptions
  const writer = { exclusive: async (run: () => Promise<void>) => run() } as unknown as IndexWriter
  const maintenance = createMaintenance(options, { writer: () => writer, reconciler: () => ({}) as Reconciler, inWork })
  return { maintenance, optimize, sweep }
}

test('the index is tended once after a burst, and not while it lasts', async () => {
  const { maintenance, optimize } = newMaintenance()
  for (let i = 0; i < 10; i++) {
    maintenance.committed(100)
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(optimize).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(optimize).toHaveBeenCalledOnce()
})

test('while documents are in work it is tended when they end, or a while after the first commit where one never does', async () => {
  let working = 1
  const { maintenance, optimize } = newMaintenance(0, () => working)
  maintenance.committed(100)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(optimize).not.toHaveBeenCalled()
  working = 0
  await vi.advanceTimersByTimeAsync(4_000)
  expect(optimize).toHaveBeenCalledOnce()

  working = 1
  maintenance.committed(100)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(optimize).toHaveBeenCalledTimes(2)
})

test('in a burst of very many passages it is tended in between', async () => {
  const { maintenance, optimize } = newMaintenance()
  for (let i = 0; i < 4; i++) maintenance.committed(5_000)
  expect(optimize).toHaveBeenCalledOnce()
})

test('a trickle that never ends is tended now and then, for a small part of the time', async () => {
  const { maintenance, optimize } = newMaintenance(2_000)
  for (let i = 0; i < 600; i++) {
    maintenance.committed(1)
    await vi.advanceTimersByTimeAsync(1_000)
  }
  // Ten minutes, 2 s each time, at most a twentieth of them.
  expect(optimize.mock.calls.length).toBeGreaterThan(5)
  expect(optimize.mock.calls.length).toBeLessThanOrEqual(16)
})

test('originals follow their deleted documents once within minutes; what has stopped does nothing more', async () => {
  const { maintenance, optimize, sweep } = newMaintenance()
  for (let i = 0; i < 5; i++) maintenance.deleted()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(sweep).toHaveBeenCalledOnce()
  maintenance.committed(1)
  maintenance.deleted()
  maintenance.stop()
  await vi.advanceTimersByTimeAsync(24 * 3_600_000)
  expect([optimize.mock.calls.length, sweep.mock.calls.length]).toEqual([0, 1])
})
