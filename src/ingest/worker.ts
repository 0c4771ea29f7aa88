import { setTimeout as sleep } from 'node:timers/promises'
import { isDocsearchError } from '../core/errors.ts'
import type { OpenIndex } from '../lifecycle/lifecycle.ts'
import type { QueuedDocument } from '../records/records.ts'
import type { IngestOptions } from './context.ts'
import { IndexChanged } from '../lifecycle/while-current.ts'
import type { Extracted, Steps } from './job.ts'
import type { Patience } from './patience.ts'

/** Documents whose text is extracted and that are not in the index yet: more of them would only take memory. */
const MOST_HELD = 32
const MOST_HELD_CHARS = 24_000_000
/** Documents that wait for a program of the operator's, which take a queue and hardly any memory. */
const MOST_ASIDE = 1_000
/**
 * A document that was in work when the daemon died, so many times without coming one step further, is given up. It is tried after all
 * others, so that a daemon killed for other reasons hardly ever counts against it.
 */
const MOST_ATTEMPTS = 10
const LONGEST_SLEEP_MS = 60_000

export interface Worker {
  start(): void
  /** Something may be there to do. */
  nudge(): void
  stop(graceMs: number): Promise<void>
  inWork(): number
}

interface WorkerOptions extends IngestOptions {
  patience: Patience
  steps: Steps
  /** Aborted when the daemon begins to stop: nothing waits any longer. */
  stopping: AbortController
  /** A document has failed: what was searchable of it is to go. */
  onFailed: () => void
}

/** Takes documents from the queue and brings each to its end. Parsers are kept busy while passages are embedded and committed. */
export function createWorker(options: WorkerOptions): Worker {
  const { records, lifecycle, log, clock, patience, steps, stopping } = options
  // One more than can be read, so that nothing waits for the next claim.
  const extractors = options.parserPool.capacity + 1
  const aborting = new AbortController()
  const running = new Set<Promise<void>>()
  let extracting = 0
  let held = 0
  let asides = 0
  let heldChars = 0
  let claiming = false
  let again = false
  let timer: NodeJS.Timeout | undefined

  const room = () =>
    stopping.signal.aborted || heldChars >= MOST_HELD_CHARS || asides >= MOST_ASIDE
      ? 0
      : Math.min(extractors - extracting, MOST_HELD - held)

  async function pump(): Promise<void> {
    clearTimeout(timer)
    while (room() > 0) {
      const jobs = await patience.try(() => records.queue.claim(room()))
      for (const job of jobs) begin(job)
      if (jobs.length === 0) return sleepUntilDue()
    }
  }

  async function sleepUntilDue(): Promise<void> {
    const due = await records.queue.nextDue()
    if (due === null || stopping.signal.aborted) return
    const delay = Math.min(Math.max(due.getTime() - clock.now().getTime(), 10), LONGEST_SLEEP_MS)
    timer = setTimeout(nudge, delay)
    timer.unref()
  }

  function nudge(): void {
    again = true
    if (claiming) return
    claiming = true
    void (async () => {
      while (again && !stopping.signal.aborted) {
        again = false
        await pump()
      }
    })()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'the queue could not be read')
      })
      .finally(() => {
        claiming = false
        if (again && !stopping.signal.aborted) nudge()
      })
  }

  function begin(job: QueuedDocument): void {
    extracting += 1
    const end = work(job).finally(() => {
      running.delete(end)
      nudge()
    })
    running.add(end)
  }

  /** Never rejects. */
  async function work(job: QueuedDocument): Promise<void> {
    const started = performance.now()
    try {
      const extracted = await extract(job).finally(() => {
        extracting -= 1
      })
      if (extracted === null) return
      held += 1
      heldChars += extracted.chars
      try {
        nudge()
        await index(job, extracted)
      } finally {
        held -= 1
        heldChars -= extracted.chars
      }
      log.debug({ document: job.documentId, took_ms: Math.round(performance.now() - started) }, 'document processed')
    } catch (error) {
      await giveBack(job, error).catch((failure: unknown) => {
        // It stays `processing`; the next start puts it back into the queue.
        if (!stopping.signal.aborted)
          log.error({ err: failure, document: job.documentId }, 'the state of a document could not be written')
      })
    }
  }

  async function extract(job: QueuedDocument): Promise<Extracted | null> {
    if (job.attempts < MOST_ATTEMPTS) return steps.extract(job, aborting.signal, aside)
    const message = `The daemon ended ${job.attempts} times while working on this document. Save it anew from its own program and upload that.`
    await patience.try(() => records.queue.fail(job, { code: 'crashed_daemon', message }))
    options.onFailed()
    return null
  }

  /** Its place among the extractors is another document's meanwhile. */
  async function aside<T>(work: () => Promise<T>): Promise<T> {
    extracting -= 1
    asides += 1
    nudge()
    try {
      return await work()
    } finally {
      extracting += 1
      asides -= 1
    }
  }

  async function index(job: QueuedDocument, extracted: Extracted): Promise<void> {
    const active = await usableIndex()
    // Another embedder or index takes over: the document has been queued for it, or is below.
    const gone = new AbortController()
    const stop = lifecycle.onChange(() => {
      if (lifecycle.active() !== active) gone.abort(new IndexChanged())
    })
    try {
      await steps.index(job, extracted, active, AbortSignal.any([aborting.signal, gone.signal]))
    } finally {
      stop()
    }
  }

  /** The active index, as soon as it can embed. */
  async function usableIndex(): Promise<OpenIndex> {
    for (;;) {
      const active = lifecycle.active()
      if (active?.embedder.canEmbed) return active
      await new Promise<void>((resolve, reject) => {
        const done = () => {
          stop()
          stopping.signal.removeEventListener('abort', aborted)
        }
        const aborted = () => {
          done()
          reject(stopping.signal.reason as Error)
        }
        const stop = lifecycle.onChange(() => {
          done()
          resolve()
        })
        stopping.signal.addEventListener('abort', aborted, { once: true })
        if (stopping.signal.aborted) aborted()
      })
    }
  }

  async function giveBack(job: QueuedDocument, error: unknown): Promise<void> {
    if (stopping.signal.aborted || error instanceof IndexChanged) {
      // No patience: the database is there or it is not.
      await records.queue.release(job, { notBefore: clock.now(), countAttempt: false })
      return
    }
    const known = isDocsearchError(error)
    if (!known || error.fault === 'internal')
      log.error({ err: error, document: job.documentId }, 'a document could not be processed')
    const code = known ? error.code : 'internal_error'
    const message = known
      ? error.message
      : 'docsearch made a mistake with this document; its log says which. Reprocess it after an update.'
    await patience.try(() => records.queue.fail(job, { code, message }))
    options.onFailed()
  }

  return {
    start: nudge,
    nudge,
    inWork: () => running.size,
    async stop(graceMs) {
      const waits = patience.reason() !== null
      stopping.abort(new Error('the daemon is stopping'))
      clearTimeout(timer)
      const allDone = () => Promise.all(running).then(() => true)
      const within = (ms: number) => Promise.race([allDone(), sleep(ms, false, { ref: false })])
      // What runs may come to its end, unless it stands still; then it is put back, which takes no time.
      if (!waits && (await within(graceMs / 2))) return
      aborting.abort(stopping.signal.reason)
      if (!(await within(graceMs / 2)))
        log.warn({ documents: running.size }, 'stopped in the middle of documents; they go on at the next start')
    },
  }
}
