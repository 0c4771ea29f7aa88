import type { Logger } from '../core/logger.ts'
import type { Records } from '../records/records.ts'

const EVERY_MS = 60 * 60 * 1000

/** Links, sessions, codes and tokens whose time has passed are worth nothing; now and every hour their rows go. */
export function startSweep({ records, log }: { records: Pick<Records, 'links' | 'sessions' | 'oauth'>; log: Logger }): {
  /** Resolves when nothing of it touches the records any more. */
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
      log.warn({ err: error }, 'expired rows could not be removed and are tried again later')
    }
  }

  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
