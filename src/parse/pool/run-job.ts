import type { Limits } from '../../config/config.ts'
import { DocsearchError, isCutShortCode } from '../../core/errors.ts'
import type { Page, ParsedDocument } from '../../core/parsed.ts'
import { crashed, noProcess, outOfMemory, timedOut, tooMuchText } from '../failures.ts'
import type { ParseSummary } from '../parser.ts'
import type { Exit, ParserChild } from './child.ts'
import { createTakenTime, type TakenTime } from './taken-time.ts'
import type { Answer, Job } from '../worker/protocol.ts'

const LOOK_EVERY_MS = 100
const START_MS = 60_000

export interface JobOutcome {
  /** Settled; to be awaited once the child has been put back or discarded. */
  result: Promise<ParsedDocument>
  reusable: boolean
}

interface Watch {
  signal?: AbortSignal | undefined
  /** Again and again, with the time that it took since its last page. */
  onLook: (sincePageMs: number) => void
  onPage?: ((page: Page, pageCount: number) => void) | undefined
}

/**
 * Runs one job on a process and watches over it: time in all, time without a page, resident memory, amount of text. Ends the
 * process where a limit is passed.
 */
export async function runJob(
  child: ParserChild,
  job: Job,
  limits: Pick<Limits, 'parseMs' | 'parseStallMs' | 'parseMemoryBytes' | 'textBytes'>,
  { signal, onPage, onLook }: Watch,
): Promise<JobOutcome> {
  const pages: Page[] = []
  let pageCount = 0
  let bytes = 0
  let cleanUp = (): void => {}

  const ended = await new Promise<{ summary: ParseSummary | null } | { error: unknown; reusable: boolean; died?: boolean }>(
    (resolve) => {
      const stop = (error: unknown): void => resolve({ error, reusable: false })
      // The start of a process on a busy machine is not the document's fault: its time begins when it is taken up.
      const start = setTimeout(() => stop(crashed(new Error('the process did not start'))), START_MS)
      let time: TakenTime | undefined
      const look = setInterval(() => {
        const { rss } = time === undefined ? child.usage() : time.look()
        if (rss > limits.parseMemoryBytes) stop(outOfMemory(limits.parseMemoryBytes))
        if (time === undefined) return
        if (time.sinceCameMs > limits.parseStallMs) stop(timedOut(limits.parseStallMs, true))
        if (time.inAllMs > limits.parseMs) stop(timedOut(limits.parseMs, false))
        onLook(time.sinceCameMs)
      }, LOOK_EVERY_MS)
      const abort = (): void => stop(signal?.reason ?? new Error('aborted'))
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()

      child.send(job, (answer) => {
        if (answer.id !== job.id) return
        time?.came()
        if (answer.type === 'started') {
          clearTimeout(start)
          time = createTakenTime(child)
        } else if (answer.type === 'open') pageCount = answer.pageCount
        else if (answer.type === 'page') {
          // The process counts too; this bounds what a process gone wrong can make the daemon hold.
          bytes += Buffer.byteLength(answer.page.text)
          if (bytes > limits.textBytes) return stop(tooMuchText(limits.textBytes))
          pages.push(answer.page)
          try {
            onPage?.(answer.page, pageCount)
          } catch (error) {
            stop(error)
          }
        } else if (answer.type === 'done') resolve({ summary: answer.summary })
        else resolve({ error: failureOf(answer, limits.parseMemoryBytes), reusable: !answer.spent })
      })
      void child.exited.then((exit) =>
        resolve({ error: failureOfExit(exit, limits.parseMemoryBytes), reusable: false, died: true }),
      )
      cleanUp = (): void => {
        clearTimeout(start)
        clearInterval(look)
        signal?.removeEventListener('abort', abort)
      }
    },
  ).finally(() => cleanUp())

  if ('summary' in ended) {
    const summary = ended.summary ?? { title: null, pageCount, warnings: [], facts: {} }
    return { result: Promise.resolve({ ...summary, pages }), reusable: true }
  }
  // A process that somebody else ended (the kernel short of memory, a stop of the daemon) says nothing about the document: it
  // is to be tried again as a whole.
  const partial = ended.died === true ? null : cutShort(ended.error, pages, pageCount)
  const result = partial === null ? Promise.reject(ended.error) : Promise.resolve(partial)
  // The caller awaits it after a step of its own.
  result.catch(() => {})
  return { result, reusable: ended.reusable }
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

function cutShort(error: unknown, pages: Page[], pageCount: number): ParsedDocument | null {
  if (!(error instanceof DocsearchError) || !pages.some((page) => page.text.trim() !== '')) return null
  const { code } = error
  if (!isCutShortCode(code)) return null
  const message = `Only the first ${pages.length} of ${pageCount} pages can be found. ${error.message}`
  return {
    title: null,
    pages,
    pageCount,
    warnings: [{ code, message, page: pages.length + 1 }],
    facts: { cut_short: true },
  }
}
