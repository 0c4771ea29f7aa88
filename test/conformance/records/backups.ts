import { describe, expect } from 'vitest'
import { BACKUP_RUNS } from '../../../src/records/backups.ts'
import { errorCode } from '../../support/codes.ts'
import { MINUTE, type AccountsTest } from './account-fixtures.ts'

export function backupsConformance(test: AccountsTest): void {
  describe('backups', () => {
    test('runs one backup at a time, until its lease ends', async ({ records: { backups }, inFuture, clock }) => {
      const first = await backups.begin('stream', inFuture(MINUTE))
      expect(await backups.isRunning()).toBe(true)
      await expect(backups.begin('scheduled', inFuture(MINUTE))).rejects.toMatchObject({ code: errorCode('backup_running') })
      expect(await backups.renew(first, inFuture(2 * MINUTE))).toBe(true)
      clock.advance(MINUTE + 1)
      expect(await backups.isRunning()).toBe(true)
      clock.advance(MINUTE)
      expect(await backups.isRunning()).toBe(false)
      const second = await backups.begin('scheduled', inFuture(MINUTE))
      // The first one has lost its lease, so it can't say that it is complete.
      expect(await backups.renew(first, inFuture(MINUTE))).toBe(false)
      await backups.finish(first, { outcome: 'done', bytes: 1, documents: 1 })
      expect(await backups.lastSuccess()).toBeNull()
      expect(await backups.last('stream')).toMatchObject({ id: first, outcome: 'failed', finishedAt: clock.now() })
      expect(await backups.last()).toMatchObject({ id: second, outcome: 'running', finishedAt: null })
    })

    test('remembers the last success of each kind, and records it', async ({ records, ann, inFuture, clock }) => {
      const { backups } = records
      const run = async (kind: 'stream' | 'scheduled', outcome: 'done' | 'partial' | 'failed') => {
        clock.advance(1)
        const id = await backups.begin(kind, inFuture(MINUTE))
        await backups.finish(id, { outcome, bytes: 5, documents: 2 })
        return id
      }
      const done = await run('scheduled', 'done')
      const partial = await run('stream', 'partial')
      await run('scheduled', 'failed')
      expect(await backups.isRunning()).toBe(false)
      expect(await backups.lastSuccess('scheduled')).toMatchObject({ id: done, bytes: 5, documents: 2, kind: 'scheduled' })
      expect(await backups.lastSuccess()).toMatchObject({ id: partial, outcome: 'partial' })
      expect(await backups.last('scheduled')).toMatchObject({ outcome: 'failed' })

      const sight = { userId: ann, projects: new Set<string>(), limit: null, accounts: 'all' as const }
      const { events } = await records.audit.list(sight, { action: 'backup.create' })
      const details = { bytes: 5, documents: 2 }
      expect(events.map((event) => event.details)).toEqual([
        { ...details, kind: 'stream', complete: false },
        { ...details, kind: 'scheduled', complete: true },
      ])
    })

    test('remembers a bounded number, and forgets all in a restored database', async ({ records, ann, inFuture, clock }) => {
      const { backups } = records
      const success = await backups.begin('stream', inFuture(MINUTE))
      await backups.finish(success, { outcome: 'done', bytes: 0, documents: 0 })
      for (let i = 0; i < BACKUP_RUNS; i++) {
        clock.advance(1)
        await backups.finish(await backups.begin('stream', inFuture(MINUTE)), { outcome: 'failed', bytes: 0, documents: 0 })
      }
      expect(await backups.lastSuccess()).toBeNull()
      await backups.begin('stream', inFuture(MINUTE))
      await backups.restored({ documents: 3 })
      expect(await backups.isRunning()).toBe(false)
      expect(await backups.last()).toBeNull()
      const sight = { userId: ann, projects: new Set<string>(), limit: null, accounts: 'all' as const }
      const { events } = await records.audit.list(sight, { action: 'backup.restore' })
      expect(events.map((event) => event.details)).toEqual([{ documents: 3 }])
    })
  })
}
