import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { Deletions, type DeletionParts } from '../../../src/ingest/deletions.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Deletions over records that know the document, project and user `there`. `forget` deletes passages from the index. */
function newDeletions(forget: () => Promise<void>) {
  const deleted = vi.fn<() => void>()
  const retryForget = vi.fn<() => void>()
  const deletions = new Deletions({
    records: {
      documents: { delete: async (_: string, id: string) => id === 'there' },
      projects: { delete: async (id: string) => (id === 'there' ? { documentIds: ['a', 'b'] } : null) },
      users: { delete: async (id: string) => (id === 'there' ? { documentIds: ['a'] } : null) },
    },
    log: silentLogger,
    reconciler: { forget },
    maintenance: { deleted, retryForget },
  } as unknown as DeletionParts)
  return { deletions, deleted, retryForget }
}

test('returns what was deleted, and asks for a sweep of the originals', async () => {
  const { deletions, deleted } = newDeletions(async () => {})
  expect(await deletions.deleteDocument(new Set(), 'there')).toBe(true)
  expect(await deletions.deleteProject('there')).toBe(2)
  expect(await deletions.deleteUser('there')).toBe(1)
  expect(deleted).toHaveBeenCalledTimes(3)
})

test('deletes nothing from the index when there was nothing to delete', async () => {
  const forget = vi.fn<() => Promise<void>>(async () => {})
  const { deletions } = newDeletions(forget)
  expect(await deletions.deleteDocument(new Set(), 'other')).toBe(false)
  expect(await deletions.deleteProject('other')).toBeNull()
  expect(await deletions.deleteUser('other')).toBeNull()
  expect(forget).not.toHaveBeenCalled()
})

test('succeeds when the index fails, and tries the index again later', async () => {
  const { deletions, retryForget } = newDeletions(() => Promise.reject(new Error('disk full')))
  expect(await deletions.deleteDocument(new Set(), 'there')).toBe(true)
  expect(retryForget).toHaveBeenCalledOnce()
})

test('waits only a moment for a busy index, and tries it again when it fails later', async () => {
  const { promise, reject } = Promise.withResolvers<void>()
  const { deletions, retryForget } = newDeletions(() => promise)
  const done = deletions.deleteDocument(new Set(), 'there')
  await vi.advanceTimersByTimeAsync(40)
  expect(await done).toBe(true)
  expect(retryForget).not.toHaveBeenCalled()
  reject(new Error('disk full'))
  await vi.advanceTimersByTimeAsync(0)
  expect(retryForget).toHaveBeenCalledOnce()
})
