import { expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../../src/core/logger.ts'
import { startSweep } from '../../../src/serve/expired-rows.ts'
import { tempRecords } from '../../support/temp-records.ts'
import { testClock } from '../../support/test-clock.ts'
import { until } from '../../support/until.ts'

test('deletes expired rows at the start and every hour, until it is stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const clock = testClock()
  const records = await tempRecords(clock)
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
  const sweep = startSweep({ records: counted, clock, auditDays: 90, log: silentLogger })
  await until('the first sweep', () => swept.mock.calls.length === 1)
  await expiring('2')
  vi.advanceTimersByTime(60 * 60 * 1000)
  await until('the second sweep', () => swept.mock.calls.length === 2)
  expect(swept.mock.calls).toEqual([[1], [1]])
  await sweep.stop()
  vi.advanceTimersByTime(60 * 60 * 1000)
  expect(swept).toHaveBeenCalledTimes(2)
})

test('deletes the events of the audit log that are too old, also when there are many', async () => {
  const clock = testClock()
  const records = await tempRecords(clock)
  const sight = { userId: '', projects: new Set<string>(), limit: null, accounts: 'all' } as const
  for (let i = 0; i < 1200; i++) await records.audit.record({ action: 'user.login_failed' })
  clock.advance(89 * 24 * 60 * 60 * 1000)
  await records.audit.record({ action: 'user.login' })
  clock.advance(2 * 24 * 60 * 60 * 1000)
  const sweep = startSweep({ records, clock, auditDays: 90, log: silentLogger })
  await until('one event is left', async () => (await records.audit.list(sight, {})).events.length === 1)
  expect((await records.audit.list(sight, {})).events).toMatchObject([{ action: 'user.login' }])
  await sweep.stop()
})

test('tries again after a failed sweep', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const failing = vi.fn<() => Promise<number>>().mockRejectedValue(new Error('the disk is full'))
  const nothing = { sweep: failing } as never
  const sweep = startSweep({
    records: { links: nothing, sessions: nothing, oauth: nothing, audit: nothing, webhooks: nothing },
    clock: testClock(),
    auditDays: 90,
    log: silentLogger,
  })
  vi.advanceTimersByTime(60 * 60 * 1000)
  expect(failing).toHaveBeenCalledTimes(2)
  await sweep.stop()
})
