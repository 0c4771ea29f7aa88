import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'

const EVERY_MS = 60 * 60 * 1000

/** Deletes the rows of expired links, sessions, codes and tokens, now and every hour. */
export function startSweep({ records, log }: { records: Pick<Records, 'links' | 'sessions' | 'oauth'>; log: Logger }): {
  /** Resolves when no deletion is running. */
  stop(): Promise<void>
} {
  let running = sweep()
  const timer = setInterval(() => {
    running = sweep()
  }, EVERY_MS)
  timer.unref()

  async function sweep(): Promise<void> {
    try {
      const rows = (await records.links.sweep()) + (await records.sessions.sweep()) + (await records.oauth.sweep())
      if (rows > 0) log.debug({ rows }, 'expired rows removed')
    } catch (error) {
      log.warn({ err: error }, 'could not remove expired rows; trying again later')
    }
  }

  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
