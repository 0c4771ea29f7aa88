import { setTimeout as sleep } from 'node:timers/promises'
import { isDocsearchError, type ErrorCode } from './errors.ts'
import type { Logger } from './logger.ts'

const FIRST_MS = 250
const MAX_MS = 15_000

/** Failures that pass by themselves, or once the user makes room or starts Ollama again. No document is to blame for them. */
const PASSING = new Set<ErrorCode>([
  'disk_full',
  'data_readonly',
  'disk_error',
  'too_many_files',
  'database_busy',
  // A disk that fails to read also looks like this. If the file is damaged, health says so, and it is not the document's fault.
  'database_corrupt',
  'store_unavailable',
  'store_refused',
  'embedder_unavailable',
  'embedding_model_changed',
  'embedding_model_missing',
])

export interface Retries {
  /**
   * Does the work, and again with growing pauses while it fails with a passing error. Rejects with every other error, with a passing one once
   * `isPointless` returns true, and with the signal's reason when that aborts during a pause.
   */
  run<T>(work: () => Promise<T>, isPointless?: () => boolean): Promise<T>
  /** Why work waits, for health. Null when none does. */
  reason(): string | null
}

/** Not p-retry: it rejects before the first attempt when its signal is aborted, but a stopping daemon still commits the documents in progress. */
export function createRetries(log: Logger, signal: AbortSignal): Retries {
  const waiting = new Map<symbol, string>()
  return {
    async run(work, isPointless = () => false) {
      const key = Symbol('waiting')
      try {
        for (let delay = FIRST_MS; ; delay = Math.min(delay * 2, MAX_MS)) {
          try {
            return await work()
          } catch (error) {
            if (!isDocsearchError(error) || !PASSING.has(error.code) || isPointless()) throw error
            if (!waiting.has(key)) log.warn({ code: error.code, err: error }, 'processing waits')
            waiting.set(key, error.message)
            await sleep(delay, undefined, { signal })
          }
        }
      } finally {
        waiting.delete(key)
      }
    },
    reason: () => waiting.values().next().value ?? null,
  }
}
