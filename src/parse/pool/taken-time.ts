import type { ParserChild, Usage } from './child.ts'

/**
 * A look at a process that waits comes late when this one was busy itself: perhaps with what that one has answered. Then only so
 * much counts, in milliseconds.
 */
const MOST_WAITED_MS = 200

/**
 * Time that counts against a document: that of the processor while its process computes, so that none is ended because others
 * had the processor, and that of the clock while it waits for something else or where the system does not tell. None while it was
 * made to stand still.
 */
export interface TakenTime {
  /** Milliseconds since `came`, and in all, as of the last look. */
  readonly sinceCameMs: number
  readonly inAllMs: number
  /** To be called often; time between two looks is taken for what it was at the second. */
  look(): Usage
  /** It came further. */
  came(): void
}

export function createTakenTime(child: Pick<ParserChild, 'usage'>, clock: () => number = () => performance.now()): TakenTime {
  let last = { at: clock(), processorMs: child.usage().processorMs }
  let sinceCameMs = 0
  let inAllMs = 0
  return {
    get sinceCameMs() {
      return sinceCameMs
    },
    get inAllMs() {
      return inAllMs
    },
    look() {
      const usage = child.usage()
      const now = { at: clock(), processorMs: usage.processorMs }
      const waited = now.at - last.at
      const computed = now.processorMs !== null && last.processorMs !== null ? now.processorMs - last.processorMs : null
      // Several threads can compute at the same time.
      const taken = Math.min(waited, countsOf(usage, computed))
      sinceCameMs += taken
      inAllMs += taken
      last = now
      return usage
    },
    came() {
      sinceCameMs = 0
    },
  }
}

function countsOf({ paused, runnable }: Usage, computed: number | null): number {
  if (paused) return computed ?? 0
  return runnable && computed !== null ? computed : MOST_WAITED_MS
}
