import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'

const EVERY_MS = 60 * 60 * 1000
const DAY_MS = 24 * EVERY_MS
/** The events of the audit log that one transaction deletes. */
const BATCH = 500

interface SweepOptions {
  records: Pick<Records, 'links' | 'sessions' | 'oauth' | 'audit'>
  clock: Clock
  log: Logger
  /** How long the audit log keeps its events. */
  auditDays: number
}

/** Deletes the rows of expired links, sessions, codes and tokens, and old events of the audit log, now and every hour. */
export function startSweep({ records, clock, log, auditDays }: SweepOptions): {
  /** Resolves when no deletion is running. */
  stop(): Promise<void>
} {
  let isStopping = false
  let running = sweep()
  const timer = setInterval(() => {
    running = sweep()
  }, EVERY_MS)
  timer.unref()

  async function sweep(): Promise<void> {
    try {
      const rows = (await records.links.sweep()) + (await records.sessions.sweep()) + (await records.oauth.sweep())
      const events = await sweepAudit()
      if (rows + events > 0) log.debug({ rows, events }, 'expired rows removed')
    } catch (error) {
      log.warn({ err: error }, 'could not remove expired rows; trying again later')
    }
  }

  /** Deletes in small transactions, so that requests wait for none of them. */
  async function sweepAudit(): Promise<number> {
    const before = new Date(clock.now().getTime() - auditDays * DAY_MS)
    for (let events = 0; ; await nextTurn()) {
      const deleted = await records.audit.sweep(before, BATCH)
      events += deleted
      if (deleted < BATCH || isStopping) return events
    }
  }

  return {
    async stop() {
      isStopping = true
      clearInterval(timer)
      await running
    },
  }
}
