const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long to wait after each failed attempt, as the Standard Webhooks specification recommends. The pauses add up to about three days. */
const PAUSES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]
/** Each pause is longer by up to this share, so that messages that failed together are not all sent again at the same time. */
const JITTER = 0.1
const MAX_RETRY_AFTER = 24 * HOUR

export interface FailedAttempt {
  at: Date
  /** Failures in a row, this one included. */
  failures: number
  /** The header of the answer: seconds or a date. */
  retryAfter: string | null
}

/** Returns when to try again, or null if that was the last attempt. `random` is from 0 to 1. */
export function nextAttemptAt({ at, failures, retryAfter }: FailedAttempt, random: number): Date | null {
  const pause = PAUSES[failures - 1]
  if (pause === undefined) return null
  const wanted = Math.min(askedPause(retryAfter, at), MAX_RETRY_AFTER)
  return new Date(at.getTime() + Math.max(Math.round(pause * (1 + JITTER * random)), wanted))
}

function askedPause(retryAfter: string | null, at: Date): number {
  if (retryAfter === null) return 0
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * SECOND
  const date = Date.parse(retryAfter)
  return Number.isNaN(date) ? 0 : date - at.getTime()
}
