import { totalmem } from 'node:os'
import type { Limits } from '../../config/config.ts'
import { DocsearchError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import type { Page, ParsedDocument } from '../../core/parsed.ts'
import { FORMATS } from '../../core/formats.ts'
import type { PdfEngine } from '../parser.ts'
import { createPlaces } from './places.ts'
import { runJob } from './run-job.ts'
import { poolClosed } from '../failures.ts'
import { contains } from '../sniff/contains.ts'
import { ParserChild } from './child.ts'
import type { Job } from '../worker/protocol.ts'
import { createStandstill } from './standstill.ts'

/** A process is replaced after so many files: what leaks, leaks into one that ends. */
const FILES_PER_PROCESS = 100
/**
 * A document that takes so much without a page gives its place to one that waits and stands still until nobody needs one, so that
 * a few that never end do not hold up the others. Not earlier, because the process that starts in its stead costs about a second;
 * later for the first of a process, which take up to 800 ms because it learns with them.
 */
const SLOW_MS = 500
const SLOW_AT_FIRST_MS = 1_000
const FIRST_JOBS = 3
/** So many aside for each worker, and no more than half of the machine's memory holds where each takes all it may. */
const ASIDE_FOR_WORKER = 4
/** An idle process is worth its memory for so long. */
const IDLE_MS = 10 * 60_000

export interface ParserPoolOptions {
  /**
   * Processes at most, one document each; one more for `preflight`, and some for documents that take long (`capacity`). They
   * start with the pool, and again when needed.
   */
  workers: number
  limits: Pick<Limits, 'pages' | 'parseMs' | 'parseStallMs' | 'parseMemoryBytes' | 'textBytes' | 'xmlBytes'>
  pdfEngine: PdfEngine
  log: Logger
}

export interface ParseRequest {
  /** Only its path goes to the process. */
  file: string
  /** As sniff() told it. */
  mediaType: string
  /** Of the document, for messages in the log; no parser sees it. */
  name: string
  /** Aborted, the process is killed and `parse` rejects with the signal's reason. */
  signal?: AbortSignal
  /** Each page as soon as it is read, in order. */
  onPage?: (page: Page, pageCount: number) => void
}

export interface ParserPool {
  /** Documents that can be read at the same time, those that take long included. */
  readonly capacity: number
  /**
   * Reads a document in a process of its own. Where a limit of time or memory, or the parser's own failure, ends it after
   * some pages were read, these are the answer, with a warning of the failure's code and `pageCount` larger than
   * `pages.length`. A process that dies otherwise is `parser_crashed`: worth another try.
   * Throws DocsearchError: `encrypted`, `corrupt`, `parse_timeout`, `parse_memory`, `too_many_pages`, `too_much_text`,
   * `too_much_xml`, `too_many_entries`, `parser_crashed`, `unsupported_type`.
   */
  parse(request: ParseRequest): Promise<ParsedDocument>
  /**
   * What can be told before a document is accepted: throws `encrypted` for a PDF under a password. Cheap for every file
   * without encryption.
   */
  preflight(request: Pick<ParseRequest, 'file' | 'mediaType' | 'name' | 'signal'>): Promise<void>
  /** Ends all processes; what is running rejects with `parser_crashed`. */
  close(): Promise<void>
}

/** A pool of warm parser processes under limits of time, memory and output. */
export function createParserPool(options: ParserPoolOptions): ParserPool {
  const { log, limits, pdfEngine } = options
  const workers = Math.max(1, options.workers)
  const idle: { child: ParserChild; timer: NodeJS.Timeout }[] = []
  const all = new Set<ParserChild>()
  const standstill = createStandstill(log)
  let closed = false
  let lastId = 0

  const discard = (child: ParserChild): void => {
    all.delete(child)
    child.kill()
  }

  const startChild = (): ParserChild => {
    const child = new ParserChild(log, standstill)
    all.add(child)
    void child.exited.then((exit) => {
      all.delete(child)
      const place = idle.findIndex((entry) => entry.child === child)
      if (place >= 0) clearTimeout(idle.splice(place, 1)[0]?.timer)
      if (exit.error !== undefined) log.error({ err: exit.error }, 'a parser process could not be started')
    })
    return child
  }

  // What has read most is fastest: it is for documents, and a look at an upload takes the one that has read least.
  const take = (task: Job['task']): ParserChild => {
    const entry = task === 'parse' ? idle.pop() : idle.shift()
    if (entry === undefined) return startChild()
    clearTimeout(entry.timer)
    return entry.child
  }

  const putBack = (child: ParserChild): void => {
    if (closed || child.jobs >= FILES_PER_PROCESS || !all.has(child)) return discard(child)
    child.rest()
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((entry) => entry.child === child),
        1,
      )
      discard(child)
    }, IDLE_MS)
    timer.unref()
    const place = idle.findIndex((entry) => entry.child.parsed > child.parsed)
    idle.splice(place < 0 ? idle.length : place, 0, { child, timer })
    // One more than documents are read at a time, for looks at uploads beside them.
    const [least] = idle
    if (idle.length > workers + 1 && least !== undefined) {
      clearTimeout(least.timer)
      idle.shift()
      discard(least.child)
    }
  }

  const inHalfOfMemory = Math.floor(totalmem() / 2 / limits.parseMemoryBytes) - workers
  const mostAside = Math.max(1, Math.min(ASIDE_FOR_WORKER * workers, inHalfOfMemory))
  // A look at an upload is urgent: somebody waits for its answer, and parsing in the background can take a minute.
  const places = createPlaces(workers, mostAside)
  // Warm before the first document comes: a start costs half a second of a core.
  for (let i = 0; i < workers; i++) putBack(startChild())

  const run = async (task: Job['task'], request: ParseRequest): Promise<ParsedDocument> => {
    let child: ParserChild | undefined
    const place = await places.take({
      urgent: task === 'preflight',
      signal: request.signal,
      pause: () => child?.pause(),
      goOn: () => child?.goOn(),
    })
    try {
      if (closed) throw poolClosed()
      const taken = take(task)
      child = taken
      const slowMs = taken.parsed < FIRST_JOBS ? SLOW_AT_FIRST_MS : SLOW_MS
      const job = { id: ++lastId, task, file: request.file, mediaType: request.mediaType, limits, pdfEngine }
      const { result, reusable } = await runJob(taken, job, limits, {
        signal: request.signal,
        onPage: request.onPage,
        onLook: (sincePageMs) => place.slow(sincePageMs > slowMs),
      })
      // It may have been paused after its last answer; from here on it is another document's.
      child = undefined
      taken.goOn()
      if (reusable) putBack(taken)
      else discard(taken)
      return await result
    } finally {
      place.end()
    }
  }

  return {
    capacity: workers + mostAside,
    parse: (request) => run('parse', request),
    async preflight(request) {
      if (request.mediaType !== FORMATS.pdf.mediaType || !(await contains(request.file, Buffer.from('/Encrypt')))) return
      try {
        await run('preflight', request)
      } catch (error) {
        if (!(error instanceof DocsearchError) || error.code === 'encrypted') throw error
        // Anything else is told by the parser, with the second engine heard.
        log.debug({ code: error.code }, 'preflight ended early')
      }
    },
    async close() {
      closed = true
      const children = [...all]
      for (const { timer } of idle.splice(0)) clearTimeout(timer)
      for (const child of children) child.kill()
      await Promise.all(children.map((child) => child.exited))
    },
  }
}
