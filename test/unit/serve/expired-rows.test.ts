import { expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { startSweep } from '../../../src/serve/expired-rows.ts'
import { openMemoryRecords } from '../../support/memory-records/open.ts'
import { testClock } from '../../support/test-clock.ts'

test('deletes expired rows at the start and every hour, until it is stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const clock = testClock()
  const records = openMemoryRecords(clock)
  const { id: userId } = await records.users.create({ name: 'Ann', email: null, role: 'owner' })
  const swept = vi.fn<(rows: number) => void>()
  const counted = {
    ...records,
    sessions: {
      ...records.sessions,
      async sweep() {
        const rows = await records.sessions.sweep()
        swept(rows)
        return rows
      },
    },
  }
  const expiring = async (sha256: string) => {
    const expiresAt = clock.now()
    await records.sessions.create({ userId, sha256, userAgent: '', address: '', expiresAt })
  }
  await expiring('1')
  const sweep = startSweep({ records: counted, log: silentLogger })
  await vi.waitFor(() => expect(swept.mock.calls).toEqual([[1]]))
  await expiring('2')
  vi.advanceTimersByTime(60 * 60 * 1000)
  await vi.waitFor(() => expect(swept.mock.calls).toEqual([[1], [1]]))
  await sweep.stop()
  vi.advanceTimersByTime(60 * 60 * 1000)
  expect(swept).toHaveBeenCalledTimes(2)
})

test('tries again after a failed sweep', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const failing = vi.fn<() => Promise<number>>().mockRejectedValue(new Error('the disk is full'))
  const nothing = { sweep: failing } as never
  const sweep = startSweep({ records: { links: nothing, sessions: nothing, oauth: nothing }, log: silentLogger })
  vi.advanceTimersByTime(60 * 60 * 1000)
  expect(failing).toHaveBeenCalledTimes(2)
  await sweep.stop()
})
