import { setTimeout as sleep } from 'node:timers/promises'
import type { Blobs } from '../blobs/blobs.ts'
import { BackgroundTask } from '../core/background-task.ts'
import type { Clock } from '../core/clock.ts'
import { countOf } from '../core/count-of.ts'
import type { Logger } from '../core/logger.ts'
import type { Records, ScrubProgress } from '../records/records.ts'

const DAY_MS = 86_400_000
/** Reading takes at most this share of the time. */
const MAX_SHARE = 1 / 20
/** How often to check whether a new round is due. */
const LOOK_MS = 60 * 60_000
/** How long to wait before checking the queue again. */
const BUSY_MS = 10_000
/**
 * The longest pause after a read. The longest read to make up for. A read takes hours if the machine sleeps, and must not stop the scrub for days.
 */
const MAX_PAUSE_MS = 60_000
/** Originals whose rows are read together. */
const AT_ONCE = 100
/** The progress is stored after this time, so that a restart repeats only a little. */
const SAVE_MS = 60_000

export interface ScrubOptions {
  blobs: Pick<Blobs, 'verify'>
  records: Pick<Records, 'documents' | 'originals' | 'queue'>
  /** Reads the files of the search index and repairs what is damaged. Calls `onRead` after each part of a file. */
  scrubIndex: (onRead: () => Promise<void>) => Promise<void>
  /** How many days a round may take at least. 0 turns the scrub off. */
  days: number
  clock: Clock
  log: Logger
  /** Replaces the pauses in tests. */
  pause?: (ms: number) => Promise<void>
}

/** What the scrub knows about the state of the originals. */
export interface ScrubState {
  status: 'ok' | 'degraded'
  message: string
  damaged: number | null
  checkedAt: Date | null
}

/**
 * Reads all originals, one after another, and then the files of the search index, and compares them with their hashes: each once in `days` days.
 * Takes a small share of the disk's time, and waits while documents are being processed. Resumes after a restart.
 */
export class Scrub {
  readonly #options: ScrubOptions
  readonly #stopping = new AbortController()
  readonly #running: BackgroundTask
  #timer: NodeJS.Timeout | undefined

  constructor(options: ScrubOptions) {
    this.#options = options
    this.#running = new BackgroundTask({
      work: () => this.#run(),
      onFailure: (error) => options.log.warn({ err: error }, 'the scrub failed; trying again later'),
    })
  }

  start(): void {
    if (this.#options.days === 0) return
    this.#running.start()
    this.#timer = setInterval(() => this.#running.start(), LOOK_MS)
    this.#timer.unref()
  }

  /** Resolves when nothing is being read. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#running.stop()
  }

  /** Resolves when the round that is due has ended. */
  idle(): Promise<void> {
    return this.#running.idle()
  }

  /** Never throws. */
  async state(): Promise<ScrubState> {
    const { originals } = this.#options.records
    try {
      const [damaged, progress] = [await originals.damaged(), await originals.progress()]
      const checkedAt = progress?.finishedAt ?? null
      if (damaged.length > 0) {
        const are = damaged.length === 1 ? 'is' : 'are'
        return {
          status: 'degraded',
          message: `${countOf(damaged.length, 'original')} ${are} damaged. The texts stay searchable. Upload the files again.`,
          damaged: damaged.length,
          checkedAt,
        }
      }
      return { status: 'ok', message: this.#describe(progress), damaged: 0, checkedAt }
    } catch {
      return { status: 'degraded', message: 'The state of the originals cannot be read.', damaged: null, checkedAt: null }
    }
  }

  #describe(progress: ScrubProgress | null): string {
    if (this.#options.days === 0) return 'No original is known to be damaged. The scrub is off.'
    if (progress?.finishedAt)
      return `No original is damaged. The last scrub ended on ${progress.finishedAt.toISOString().slice(0, 10)}.`
    return progress === null
      ? 'No original is known to be damaged.'
      : `No original is known to be damaged. The first scrub has read ${countOf(progress.checked, 'original')}.`
  }

  async #run(): Promise<void> {
    const { records, clock, days, log } = this.#options
    const { originals } = records
    const now = clock.now()
    let progress = await originals.progress()
    const isUnderWay = progress !== null && (progress.finishedAt === null || progress.finishedAt < progress.startedAt)
    if (progress !== null && !isUnderWay) {
      const sinceMs = now.getTime() - progress.startedAt.getTime()
      // A clock that was set back must not stop the scrub for years.
      if (sinceMs >= 0 && sinceMs < days * DAY_MS) return
    }
    if (!isUnderWay) progress = { startedAt: now, after: null, checked: 0, finishedAt: progress?.finishedAt ?? null }
    const ended = await this.#round(progress!)
    if (ended === null || !(await this.#checkIndex())) return
    await originals.saveProgress({ ...ended, after: null, finishedAt: clock.now() })
    log.info({ originals: ended.checked, damaged: (await originals.damaged()).length }, 'read all originals and the search index')
  }

  /** Returns null when it was stopped. */
  async #round(progress: ScrubProgress): Promise<ScrubProgress | null> {
    const { originals } = this.#options.records
    let savedAt = performance.now()
    for (;;) {
      const next = await originals.list({ after: progress.after, limit: AT_ONCE })
      if (next.length === 0) return progress
      for (const original of next) {
        await this.#untilQuiet()
        if (this.#stopping.signal.aborted) {
          await originals.saveProgress(progress)
          return null
        }
        if (!(await this.#check(original))) {
          await originals.saveProgress(progress)
          return null
        }
        progress = { ...progress, after: original.sha256, checked: progress.checked + 1 }
        if (performance.now() - savedAt < SAVE_MS) continue
        await originals.saveProgress(progress)
        savedAt = performance.now()
      }
    }
  }

  /** Returns false when it was stopped in the middle of the file. */
  async #check(original: { sha256: string; sizeBytes: number }): Promise<boolean> {
    const { blobs, records, log } = this.#options
    const { sha256 } = original
    try {
      const damage = await blobs.verify(original, this.#slowly())
      if (damage === null) await records.originals.markIntact(sha256)
      // Its documents may have been deleted while it was read.
      else if (await records.documents.isBlobReferenced(sha256)) {
        log.error({ sha256, damage }, 'an original is damaged; upload the file again')
        await records.originals.markDamaged(sha256, damage)
      }
      return true
    } catch (error) {
      if (this.#stopping.signal.aborted) return false
      // The disk refuses to read this file. The others may be fine.
      log.error({ err: error, sha256 }, 'an original could not be read')
      return true
    }
  }

  /** Returns false when it was stopped before its end. A restart reads the index from its beginning. */
  async #checkIndex(): Promise<boolean> {
    await this.#untilQuiet()
    try {
      if (!this.#stopping.signal.aborted) await this.#options.scrubIndex(this.#slowly())
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error
    }
    return !this.#stopping.signal.aborted
  }

  /** Returns a function to call after each part that was read. It pauses for the rest of the time, and throws when the scrub is stopped. */
  #slowly(): () => Promise<void> {
    let at = performance.now()
    return async () => {
      await this.#pause(Math.min(MAX_PAUSE_MS, (performance.now() - at) * (1 / MAX_SHARE - 1)))
      this.#stopping.signal.throwIfAborted()
      at = performance.now()
    }
  }

  async #untilQuiet(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { queued, processing } = await this.#options.records.queue.counts()
      if (queued + processing === 0) return
      await this.#pause(BUSY_MS)
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#options.pause !== undefined) return this.#options.pause(ms)
    // A stop ends the pause early, and the caller notices it.
    await sleep(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {})
  }
}
