import { setTimeout as sleep } from 'node:timers/promises'
import { isDocsearchError, type ErrorCode } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'

const FIRST_MS = 250
const MOST_MS = 15_000

/** What passes by itself or when somebody makes room or starts Ollama again; no document is to blame. */
const PASSING = new Set<ErrorCode>([
  'disk_full',
  'disk_error',
  'database_busy',
  'embedder_unavailable',
  'embedding_model_changed',
  'embedding_model_missing',
])

export interface Patience {
  /**
   * Does the work, again and again while something outside is in the way, with growing pauses. Rejects with what is not passing, with
   * `signal`'s reason once it is aborted, or when `giveUp` says that trying again makes no sense any more.
   */
  try<T>(work: () => Promise<T>, giveUp?: () => boolean): Promise<T>
  /** Why work stands still, for health; null when it does not. */
  reason(): string | null
}

export function createPatience(log: Logger, signal: AbortSignal): Patience {
  const waiting = new Map<symbol, string>()
  return {
    async try(work, giveUp = () => false) {
      const me = Symbol('waiting')
      try {
        for (let delay = FIRST_MS; ; delay = Math.min(delay * 2, MOST_MS)) {
          try {
            return await work()
          } catch (error) {
            if (!isDocsearchError(error) || !PASSING.has(error.code) || giveUp()) throw error
            if (!waiting.has(me)) log.warn({ code: error.code, err: error }, 'processing waits')
            waiting.set(me, error.message)
            await sleep(delay, undefined, { signal })
          }
        }
      } finally {
        waiting.delete(me)
      }
    },
    reason: () => waiting.values().next().value ?? null,
  }
}
