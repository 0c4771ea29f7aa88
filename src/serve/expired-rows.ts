import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'

const EVERY_MS = 60 * 60 * 1000
const DAY_MS = 24 * EVERY_MS
/** How long the log of a webhook keeps its deliveries. */
const DELIVERY_DAYS = 30
/** The rows that one transaction deletes. */
const BATCH = 500

interface SweepOptions {
  records: Pick<Records, 'links' | 'sessions' | 'oauth' | 'audit' | 'webhooks'>
  clock: Clock
  log: Logger
  /** How long the audit log keeps its events. */
  auditDays: number
}

/** Deletes the rows of expired links, sessions, codes and tokens, old events of the audit log and old deliveries of webhooks, now and every hour. */
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
      const events = await inBatches(auditDays, (before) => records.audit.sweep(before, BATCH))
      const deliveries = await inBatches(DELIVERY_DAYS, (before) => records.webhooks.outbox.sweep(before, BATCH))
      if (rows + events + deliveries > 0) log.debug({ rows, events, deliveries }, 'expired rows removed')
    } catch (error) {
      log.warn({ err: error }, 'could not remove expired rows; trying again later')
    }
  }

  /** Deletes what is older in small transactions, so that requests wait for none of them. Returns how many rows. */
  async function inBatches(days: number, deleteSome: (before: Date) => Promise<number>): Promise<number> {
    const before = new Date(clock.now().getTime() - days * DAY_MS)
    for (let total = 0; ; await nextTurn()) {
      const deleted = await deleteSome(before)
      total += deleted
      if (deleted < BATCH || isStopping) return total
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
