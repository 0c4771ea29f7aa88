import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { Deletions, type DeletionParts } from '../../../src/ingest/deletions.ts'
import { Maintenance, type MaintenanceParts } from '../../../src/ingest/maintenance.ts'

const MINUTE = 60_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** An instance whose index gets a file with each commit, and whose disk has these originals without a document. */
function newInstance({ originals = [] as string[], optimiseMs = 0 } = {}) {
  const state = { indexFiles: 1, originals, sweeps: 0, tombstones: 0, busyMs: 0, failures: { optimise: 0, sweep: 0, forget: 0 } }
  const act = async (what: keyof typeof state.failures, work: () => void) => {
    if (state.failures[what]-- > 0) throw new Error('disk full')
    work()
  }
  const maintenance = new Maintenance({
    records: {
      events: { trim: async () => {} },
      documents: { isBlobReferenced: async () => false },
      backups: { isRunning: async () => false },
      trash: { purge: async () => 0 },
    },
    clock: { now: () => new Date() },
    blobs: {
      async sweep() {
        state.sweeps++
        await act('sweep', () => (state.originals = []))
        return 0
      },
    },
    lifecycle: {
      active: () => ({
        index: {
          async optimize() {
            await new Promise((resolve) => setTimeout(resolve, optimiseMs))
            state.busyMs += optimiseMs
            await act('optimise', () => (state.indexFiles = 1))
          },
        },
      }),
    },
    log: silentLogger,
    reconciler: { forget: () => act('forget', () => (state.tombstones = 0)) },
  } as unknown as MaintenanceParts)
  const commit = () => {
    state.indexFiles++
    maintenance.committed()
  }
  return { maintenance, state, commit }
}

test('after a burst of commits, the index is compact again within a minute', async () => {
  const { state, commit } = newInstance()
  for (let i = 0; i < 10; i++) commit()
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(state.indexFiles).toBe(1)
})

test('while commits never end, the index stays small, and optimising it takes a small part of the time', async () => {
  const { state, commit } = newInstance({ optimiseMs: 2_000 })
  let most = 0
  for (let i = 0; i < 600; i++) {
    commit()
    await vi.advanceTimersByTimeAsync(1_000)
    most = Math.max(most, state.indexFiles)
  }
  expect(most).toBeLessThan(100)
  expect(state.busyMs).toBeLessThan(MINUTE)
})

test('a start makes the index compact, and deletes the originals that the last run has left', async () => {
  const { maintenance, state } = newInstance({ originals: ['a'] })
  state.indexFiles = 20
  maintenance.start()
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect([state.indexFiles, state.originals]).toEqual([1, []])
  await maintenance.stop()
})

test('the index becomes compact and originals without a document are deleted within hours, also without a change', async () => {
  const { maintenance, state } = newInstance()
  maintenance.start()
  await vi.advanceTimersByTimeAsync(MINUTE)
  Object.assign(state, { indexFiles: 20, originals: ['left'] })
  await vi.advanceTimersByTimeAsync(7 * 60 * MINUTE)
  expect([state.indexFiles, state.originals]).toEqual([1, []])
  await maintenance.stop()
})

test('the originals of many deleted documents are deleted within minutes, in one sweep, because it reads every original', async () => {
  const { maintenance, state } = newInstance({ originals: ['a', 'b'] })
  for (let i = 0; i < 5; i++) maintenance.deleted()
  await vi.advanceTimersByTimeAsync(2 * MINUTE)
  expect([state.originals, state.sweeps]).toEqual([[], 1])
})

/** Deletions of an instance whose records know one document, one project and one user. */
function deletionsOf(maintenance: Maintenance, forget: () => Promise<void>): Deletions {
  const deleted = async () => ({ documentIds: ['a'] })
  return new Deletions({
    records: { documents: { delete: async () => true }, projects: { delete: deleted }, users: { delete: deleted } },
    log: silentLogger,
    reconciler: { forget },
    maintenance,
  } as unknown as DeletionParts)
}

test.each([
  ['document', (deletions: Deletions) => deletions.deleteDocument(new Set(), 'a')],
  ['project', (deletions: Deletions) => deletions.deleteProject('a')],
  ['user', (deletions: Deletions) => deletions.deleteUser('a')],
])('the originals of a deleted %s are deleted within minutes', async (_, remove) => {
  const { maintenance, state } = newInstance({ originals: ['a'] })
  await remove(deletionsOf(maintenance, async () => {}))
  await vi.advanceTimersByTimeAsync(2 * MINUTE)
  expect(state.originals).toEqual([])
})

test('a deletion is repeated in the index if the index was busy and then failed', async () => {
  const { maintenance, state } = newInstance()
  state.tombstones = 1
  const { promise, reject } = Promise.withResolvers<void>()
  const done = deletionsOf(maintenance, () => promise).deleteDocument(new Set(), 'a')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await done).toBe(true)
  reject(new Error('disk full'))
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(state.tombstones).toBe(0)
})

test.each(['committed', 'deleted', 'retryForget'] as const)('repeats failed work without another change: %s', async (change) => {
  const { maintenance, state } = newInstance({ originals: ['a'] })
  Object.assign(state, { indexFiles: 20, tombstones: 3, failures: { optimise: 3, sweep: 3, forget: 3 } })
  maintenance[change]()
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  if (change === 'retryForget') expect(state.tombstones).toBe(0)
  else expect(state.indexFiles).toBe(1)
  if (change === 'deleted') expect(state.originals).toEqual([])
})

test('does nothing once it is stopped', async () => {
  const { maintenance, state, commit } = newInstance({ originals: ['a'] })
  commit()
  await maintenance.stop()
  commit()
  maintenance.deleted()
  await vi.advanceTimersByTimeAsync(24 * 60 * MINUTE)
  expect([state.indexFiles, state.originals]).toEqual([3, ['a']])
})
