import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { Maintenance, type MaintenanceParts } from '../../../src/ingest/maintenance.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Counts optimisations and sweeps. An optimisation takes `optimiseMs`; `inWork` is the number of documents in work. */
function newMaintenance(optimiseMs = 0, inWork = () => 0) {
  const optimize = vi.fn<() => Promise<void>>(() => new Promise((resolve) => setTimeout(resolve, optimiseMs)))
  const sweep = vi.fn<() => Promise<number>>(async () => 0)
  const forget = vi.fn<() => Promise<void>>(async () => {})
  const maintenance = new Maintenance({
    records: { events: { trim: async () => {} }, documents: { isBlobReferenced: async () => true } },
    blobs: { sweep },
    lifecycle: { active: () => ({ index: { optimize } }) },
    log: silentLogger,
    reconciler: { forget },
    load: {
      get inWork() {
        return inWork()
      },
    },
    exclusive: (work: () => Promise<void>) => work(),
  } as unknown as MaintenanceParts)
  return { maintenance, optimize, sweep, forget }
}

test('optimises the index once after a burst, and not during it', async () => {
  const { maintenance, optimize } = newMaintenance()
  for (let i = 0; i < 10; i++) {
    maintenance.committed(100)
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(optimize).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(optimize).toHaveBeenCalledOnce()
})

test('optimises when the documents in work end, and also when one of them never ends', async () => {
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

test('optimises during a burst of very many passages', async () => {
  const { maintenance, optimize } = newMaintenance()
  for (let i = 0; i < 4; i++) maintenance.committed(5_000)
  expect(optimize).toHaveBeenCalledOnce()
})

test('optimises now and then while commits never end, for a small part of the time', async () => {
  const { maintenance, optimize } = newMaintenance(2_000)
  for (let i = 0; i < 600; i++) {
    maintenance.committed(1)
    await vi.advanceTimersByTimeAsync(1_000)
  }
  // Ten minutes, 2 s for each optimisation, at most a twentieth of the time.
  expect(optimize.mock.calls.length).toBeGreaterThan(5)
  expect(optimize.mock.calls.length).toBeLessThanOrEqual(16)
})

test('deletes the originals of deleted documents within minutes, in one sweep, and does nothing once stopped', async () => {
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

test('a deletion that failed is tried again until it succeeds', async () => {
  const { maintenance, forget } = newMaintenance()
  forget.mockRejectedValueOnce(new Error('disk full'))
  maintenance.retryForget()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(forget).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(forget).toHaveBeenCalledTimes(2)
})
