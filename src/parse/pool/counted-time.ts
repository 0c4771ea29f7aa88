import type { ParserProcess, Usage } from './parser-process.ts'

/**
 * The daemon measures late when it is busy, perhaps with the answers of this very process. Then at most this many milliseconds
 * count as waiting.
 */
const MAX_WAIT_MS = 200

/**
 * Measures the time that counts against a document's limits.
 *
 * While the parser process computes, its processor time counts, so that no document fails because other programs had the processor. While the
 * process waits for something, or where the system doesn't tell, the clock counts. Nothing counts while the process is paused.
 */
export class CountedTime {
  /** Milliseconds since the last progress, as of the last measurement. */
  sinceProgressMs = 0
  /** Milliseconds in total, as of the last measurement. */
  totalMs = 0
  private readonly process: Pick<ParserProcess, 'usage'>
  private readonly clock: () => number
  private last: { at: number; processorMs: number | null }

  constructor(process: Pick<ParserProcess, 'usage'>, clock: () => number = () => performance.now()) {
    this.process = process
    this.clock = clock
    this.last = { at: clock(), processorMs: process.usage().processorMs }
  }

  /** Must be called often: the state that it finds counts for all the time since the last call. */
  measure(): Usage {
    const usage = this.process.usage()
    const now = { at: this.clock(), processorMs: usage.processorMs }
    const elapsed = now.at - this.last.at
    const computed = now.processorMs !== null && this.last.processorMs !== null ? now.processorMs - this.last.processorMs : null
    // The minimum, because several threads can compute at the same time.
    const counted = Math.min(elapsed, countedOf(usage, computed))
    this.sinceProgressMs += counted
    this.totalMs += counted
    this.last = now
    return usage
  }

  noteProgress(): void {
    this.sinceProgressMs = 0
  }
}

function countedOf({ isPaused, isComputing }: Usage, computed: number | null): number {
  if (isPaused) return computed ?? 0
  return isComputing && computed !== null ? computed : MAX_WAIT_MS
}
