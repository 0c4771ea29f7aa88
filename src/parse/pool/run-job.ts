import type { Limits } from '../../config/config.ts'
import { DocsearchError, isCutShortCode } from '../../core/errors.ts'
import type { Page, ParsedDocument } from '../../core/parsed.ts'
import { crashed, noProcess, outOfMemory, timedOut, tooMuchText } from '../failures.ts'
import type { ParseSummary } from '../parser.ts'
import type { SentPageAnswer } from '../pdf/image/page-question.ts'
import type { Answer, AttachmentPiece, Job } from '../worker/protocol.ts'
import type { Exit, ParserProcess, Usage } from './parser-process.ts'

const CHECK_INTERVAL_MS = 100
const MAX_START_MS = 60_000

export type JobLimits = Pick<Limits, 'parseMs' | 'parseStallMs' | 'parseMemoryBytes' | 'textBytes'>

export interface JobOutcome {
  /** Settled already. Await it after the process has been put back or discarded. */
  result: Promise<ParsedDocument>
  /** The process can take another job. */
  isReusable: boolean
}

export interface JobWatch {
  signal?: AbortSignal | undefined
  /** Called ten times a second with the time since the last page. */
  onCheck: (sincePageMs: number) => void
  onPage?: ((page: Page, pageCount: number) => void) | undefined
  /** Called with each piece of an attachment, in order, when the call for the piece before has ended. */
  onAttachment?: ((piece: AttachmentPiece) => Promise<void>) | undefined
  /** Called with the answer of a job with a question. */
  onAnswer?: ((answer: SentPageAnswer) => void) | undefined
}

type JobEnd =
  | { type: 'done'; summary: ParseSummary | null }
  /** The parser reported a failure, or the daemon stopped the job. */
  | { type: 'failed'; error: unknown; isReusable: boolean }
  /** The process ended by itself, or another program ended it. */
  | { type: 'died'; error: DocsearchError }

/**
 * Runs one job on a process, and stops it at the limits of time in total, time without a page, memory and text.
 */
export async function runJob(process: ParserProcess, job: Job, limits: JobLimits, watch: JobWatch): Promise<JobOutcome> {
  const run = new JobRun(process, job, limits, watch)
  const end = await run.end
  const { pages, pageCount } = run
  if (end.type === 'done') {
    const summary = end.summary ?? { title: null, pageCount, warnings: [], facts: {} }
    return { result: Promise.resolve({ ...summary, pages }), isReusable: true }
  }
  // A process can die for reasons outside the document (the kernel is short of memory, the daemon stops). Then the whole document
  // is tried again, so its first pages are not the result.
  const partial = end.type === 'died' ? null : cutShort(end.error, pages, pageCount)
  const result = partial === null ? Promise.reject(end.error) : Promise.resolve(partial)
  // The caller awaits the promise later; until then its rejection must not count as unhandled.
  result.catch(() => {})
  return { result, isReusable: end.type === 'failed' && end.isReusable }
}

/** One job: `starting` until the process takes it up, then `reading`, then `ended`. */
class JobRun {
  readonly end: Promise<JobEnd>
  readonly pages: Page[] = []
  pageCount = 0
  private state: { name: 'starting' } | { name: 'reading'; time: CountedTime } | { name: 'ended' } = { name: 'starting' }
  private textBytes = 0
  /** Resolves when all pieces of attachments so far are taken. Never rejects. */
  private attachments: Promise<void> = Promise.resolve()
  private readonly process: ParserProcess
  private readonly limits: JobLimits
  private readonly watch: JobWatch
  private readonly settle: (end: JobEnd) => void
  // On a busy machine the start of the process can take long. That is not the document's fault, so its time begins later.
  private readonly startTimer = setTimeout(() => this.stop(crashed(new Error('the process did not start'))), MAX_START_MS)
  private readonly checkTimer = setInterval(() => this.check(), CHECK_INTERVAL_MS)
  private readonly abort = (): void => this.stop(this.watch.signal?.reason ?? new Error('aborted'))

  constructor(process: ParserProcess, job: Job, limits: JobLimits, watch: JobWatch) {
    this.process = process
    this.limits = limits
    this.watch = watch
    const { promise, resolve } = Promise.withResolvers<JobEnd>()
    this.end = promise
    this.settle = resolve
    watch.signal?.addEventListener('abort', this.abort, { once: true })
    process.send(job, (answer) => {
      if (answer.id === job.id && this.state.name !== 'ended') this.take(answer)
    })
    void process.exited.then((exit) => this.finish({ type: 'died', error: failureOfExit(exit, limits.parseMemoryBytes) }))
    if (watch.signal?.aborted) this.abort()
  }

  private take(answer: Answer): void {
    if (this.state.name === 'reading') this.state.time.noteProgress()
    switch (answer.type) {
      case 'started':
        clearTimeout(this.startTimer)
        this.state = { name: 'reading', time: new CountedTime(this.process) }
        return
      case 'open':
        this.pageCount = answer.pageCount
        return
      case 'page':
        return this.takePage(answer.page)
      case 'answer':
        return this.watch.onAnswer?.(answer.answer)
      case 'attachment':
        return this.takeAttachment(answer)
      case 'done':
        return this.finishAfterAttachments({ type: 'done', summary: answer.summary })
      case 'failed':
        return this.finishAfterAttachments({
          type: 'failed',
          error: failureOf(answer, this.limits.parseMemoryBytes),
          isReusable: !answer.isProcessBroken,
        })
    }
  }

  private takePage(page: Page): void {
    // The process counts too. This limits the memory of the daemon if the process goes wrong.
    this.textBytes += Buffer.byteLength(page.text)
    if (this.textBytes > this.limits.textBytes) return this.stop(tooMuchText(this.limits.textBytes))
    this.pages.push(page)
    try {
      this.watch.onPage?.(page, this.pageCount)
    } catch (error) {
      this.stop(error)
    }
  }

  private takeAttachment({ name, page, data, isLast }: AttachmentPiece): void {
    this.attachments = this.attachments
      .then(() => (this.state.name === 'ended' ? undefined : this.watch.onAttachment?.({ name, page, data, isLast })))
      .catch((error: unknown) => this.stop(error))
  }

  /** The process has nothing more to do, so its time ends here. */
  private finishAfterAttachments(end: JobEnd): void {
    clearInterval(this.checkTimer)
    void this.attachments.then(() => this.finish(end))
  }

  private check(): void {
    const { parseMemoryBytes, parseStallMs, parseMs } = this.limits
    const time = this.state.name === 'reading' ? this.state.time : null
    const { rss } = time === null ? this.process.usage() : time.measure()
    if (rss > parseMemoryBytes) return this.stop(outOfMemory(parseMemoryBytes))
    if (time === null) return
    if (time.sinceProgressMs > parseStallMs) return this.stop(timedOut(parseStallMs, true))
    if (time.totalMs > parseMs) return this.stop(timedOut(parseMs, false))
    this.watch.onCheck(time.sinceProgressMs)
  }

  private stop(error: unknown): void {
    this.finish({ type: 'failed', error, isReusable: false })
  }

  private finish(end: JobEnd): void {
    if (this.state.name === 'ended') return
    this.state = { name: 'ended' }
    clearTimeout(this.startTimer)
    clearInterval(this.checkTimer)
    this.watch.signal?.removeEventListener('abort', this.abort)
    this.settle(end)
  }
}

function failureOf(answer: Extract<Answer, { type: 'failed' }>, memoryBytes: number): DocsearchError {
  const cause = new Error(answer.cause)
  if (answer.code === 'parse_memory') return outOfMemory(memoryBytes, cause)
  return new DocsearchError(answer.code, answer.message, { details: answer.details, cause })
}

function failureOfExit(exit: Exit, memoryBytes: number): DocsearchError {
  if (exit.error !== undefined) return noProcess(exit.error)
  if (/heap out of memory|allocation failed/i.test(exit.stderr)) return outOfMemory(memoryBytes)
  return crashed(new Error(`parser process ended with ${exit.signal ?? exit.code}`))
}

/** Returns the pages before a failure that would come again at the same page; null if none of them has text. */
function cutShort(error: unknown, pages: Page[], pageCount: number): ParsedDocument | null {
  if (!(error instanceof DocsearchError) || !isCutShortCode(error.code)) return null
  if (!pages.some((page) => page.text.trim() !== '')) return null
  const message = `Only the first ${pages.length} of ${pageCount} pages can be searched. ${error.message}`
  return {
    title: null,
    pages,
    pageCount,
    warnings: [{ code: error.code, message, page: pages.length + 1 }],
    facts: { cut_short: true },
  }
}

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
