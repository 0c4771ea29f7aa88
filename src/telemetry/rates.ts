import type { RecentWork } from '../core/instance-numbers.ts'
import type { TelemetryEvent } from '../core/telemetry.ts'

const WINDOW_MINUTES = 5
const SLICE_MS = 10_000
const SLICES = (WINDOW_MINUTES * 60_000) / SLICE_MS
/** Enough for good percentiles. Memory stays bounded, however many searches there are. */
const MAX_TIMES_IN_SLICE = 100

interface Slice {
  number: number
  requests: number
  searches: number
  searchMs: number[]
  ready: number
  failed: number
  passages: number
}

/** Counts the work of the last minutes in slices of ten seconds. */
export class Rates {
  readonly #started: number
  readonly #now: () => number
  #slices: Slice[] = []

  /** `now` returns milliseconds of a clock that nobody sets back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#started = now()
  }

  note(event: TelemetryEvent): void {
    const slice = this.#current()
    if (event.type === 'request') slice.requests++
    else if (event.type === 'document_failed') slice.failed++
    else if (event.type === 'document_ready') {
      slice.ready++
      slice.passages += event.passages
    } else if (event.type === 'search') {
      slice.searches++
      const ms = event.search.seconds * 1000
      if (slice.searchMs.length < MAX_TIMES_IN_SLICE) slice.searchMs.push(ms)
      // When the sample is full, each new time replaces a random earlier one, so that the sample stays fair.
      else {
        const at = Math.floor(Math.random() * slice.searches)
        if (at < MAX_TIMES_IN_SLICE) slice.searchMs[at] = ms
      }
    }
  }

  recent(): RecentWork {
    const oldest = this.#sliceNumber() - SLICES
    const slices = this.#slices.filter(({ number }) => number > oldest)
    const sum = (of: (slice: Slice) => number) => slices.reduce((total, slice) => total + of(slice), 0)
    const times = slices.flatMap((slice) => slice.searchMs).toSorted((a, b) => a - b)
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
    return {
      minutes: Math.min(WINDOW_MINUTES, Math.max(this.#now() - this.#started, SLICE_MS) / 60_000),
      requests: sum((slice) => slice.requests),
      searches: sum((slice) => slice.searches),
      searchMs: times.length === 0 ? null : { median: at(0.5), p95: at(0.95), max: times.at(-1)! },
      documentsReady: sum((slice) => slice.ready),
      documentsFailed: sum((slice) => slice.failed),
      passages: sum((slice) => slice.passages),
    }
  }

  #sliceNumber(): number {
    return Math.floor((this.#now() - this.#started) / SLICE_MS)
  }

  #current(): Slice {
    const number = this.#sliceNumber()
    const last = this.#slices.at(-1)
    if (last?.number === number) return last
    const slice = { number, requests: 0, searches: 0, searchMs: [], ready: 0, failed: 0, passages: 0 }
    this.#slices = [...this.#slices.filter((old) => old.number > number - SLICES), slice]
    return slice
  }
}
