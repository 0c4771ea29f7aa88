import type { Logger } from '../core/logger.ts'
import type { TelemetryEvent } from '../core/telemetry.ts'

/** Logs searches that took at least `slowMs`: their times and their shape, never their words. 0 logs none. */
export class SlowSearches {
  readonly #slowMs: number
  readonly #log: Logger

  constructor({ slowMs, log }: { slowMs: number; log: Logger }) {
    this.#slowMs = slowMs
    this.#log = log
  }

  note(event: TelemetryEvent): void {
    if (event.type !== 'search' || this.#slowMs === 0) return
    const { mode, seconds, stages, degraded, shape } = event.search
    const ms = milliseconds(seconds)
    if (ms < this.#slowMs) return
    const { groupBy, isCorrected, isReranked, ...sizes } = shape()
    this.#log.warn(
      {
        ms,
        stages: Object.fromEntries(Object.entries(stages).map(([stage, time]) => [stage, milliseconds(time)])),
        mode,
        degraded,
        ...sizes,
        group_by: groupBy,
        corrected: isCorrected,
        reranked: isReranked,
      },
      'slow search',
    )
  }
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 10_000) / 10
}
