import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { Maintenance, type MaintenanceParts } from '../../../src/ingest/maintenance.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Counts optimisations and sweeps. An optimisation takes `optimiseMs`. */
function newMaintenance(optimiseMs = 0) {
  const optimize = vi.fn<() => Promise<void>>(() => new Promise((resolve) => setTimeout(resolve, optimiseMs)))
  const sweep = vi.fn<() => Promise<number>>(async () => 0)
  const forget = vi.fn<() => Promise<void>>(async () => {})
  const maintenance = new Maintenance({
    records: {
      events: { trim: async () => {} },
      documents: { isBlobReferenced: async () => true },
      trash: { purge: async () => 0 },
    },
    clock: { now: () => new Date() },
    blobs: { sweep },
    lifecycle: { active: () => ({ index: { optimize } }) },
    log: silentLogger,
    reconciler: { forget },
  } as unknown as MaintenanceParts)
  return { maintenance, optimize, sweep, forget }
}

test.each(['committed', 'deleted'] as const)('optimises the index once after a burst: %s', async (change) => {
  const { maintenance, optimize } = newMaintenance()
  for (let i = 0; i < 10; i++) {
    maintenance[change]()
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(optimize).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(optimize).toHaveBeenCalledOnce()
})

test('optimises the index after a start, for what the last run has left', async () => {
  const { maintenance, optimize } = newMaintenance()
  maintenance.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(optimize).toHaveBeenCalledOnce()
  await maintenance.stop()
})

test('optimises the index every few hours without a change, because each run leaves recent files', async () => {
  const { maintenance, optimize, sweep } = newMaintenance()
  maintenance.start()
  await vi.advanceTimersByTimeAsync(25 * 3_600_000)
  expect([optimize.mock.calls.length, sweep.mock.calls.length]).toEqual([5, 5])
  await maintenance.stop()
})

test('optimises now and then while commits never end, for a small part of the time', async () => {
  const { maintenance, optimize } = newMaintenance(2_000)
  for (let i = 0; i < 600; i++) {
    maintenance.committed()
    await vi.advanceTimersByTimeAsync(1_000)
  }
  // Ten minutes, 2 s for each optimisation, at most a twentieth of the time.
  expect(optimize.mock.calls.length).toBeGreaterThan(5)
  expect(optimize.mock.calls.length).toBeLessThanOrEqual(16)
})

test.each(['optimize', 'sweep', 'forget'] as const)('repeats what failed, without another change: %s', async (what) => {
  const { maintenance, ...calls } = newMaintenance()
  for (let i = 0; i < 3; i++) calls[what].mockRejectedValueOnce(new Error('disk full'))
  if (what === 'forget') maintenance.retryForget()
  else maintenance.deleted()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(calls[what]).toHaveBeenCalledTimes(4)
})

test('deletes the originals of deleted documents within minutes, in one sweep, and does nothing once stopped', async () => {
  const { maintenance, optimize, sweep } = newMaintenance()
  for (let i = 0; i < 5; i++) maintenance.deleted()
  await vi.advanceTimersByTimeAsync(120_000)
  expect([optimize.mock.calls.length, sweep.mock.calls.length]).toEqual([1, 1])
  maintenance.committed()
  maintenance.deleted()
  await maintenance.stop()
  maintenance.committed()
  await vi.advanceTimersByTimeAsync(24 * 3_600_000)
  expect([optimize.mock.calls.length, sweep.mock.calls.length]).toEqual([1, 1])
})
