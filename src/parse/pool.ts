import { totalmem } from 'node:os'
import type { Limits } from '../config/config.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { Page, ParsedDocument } from '../core/parsed.ts'
import { PDF } from './media-types.ts'
import type { PdfEngine } from './parser.ts'
import { runJob } from './run-job.ts'
import { contains } from './sniff.ts'
import { ParserChild } from './worker/child.ts'

/** A process is replaced after so many files: what leaks, leaks into one that ends. */
const FILES_PER_PROCESS = 100
/**
 * A document that took so much of the processor gives its place to one that waits and goes on beside it, so that a few that
 * never end do not hold up the others …
 */
const ASIDE_AFTER_MS = 500
/** … and one that took this much gives way to them. */
const YIELD_AFTER_MS = 2_000
const LOOK_EVERY_MS = 250
/** So many aside for each worker, and no more than half of the machine's memory holds where each takes all it may. */
const ASIDE_FOR_WORKER = 2
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
  const idle: { child: ParserChild; timer: NodeJS.Timeout }[] = []
  const all = new Set<ParserChild>()
  const waiting: { start: () => void; urgent: boolean }[] = []
  /** Documents that take long and still have their place; each function gives it away. */
  const slow: (() => void)[] = []
  let aside = 0
  let busy = 0
  let closed = false
  let lastId = 0

  const discard = (child: ParserChild): void => {
    all.delete(child)
    child.kill()
  }

  const startChild = (): ParserChild => {
    const child = new ParserChild(log)
    all.add(child)
    void child.exited.then((exit) => {
      all.delete(child)
      const place = idle.findIndex((entry) => entry.child === child)
      if (place >= 0) clearTimeout(idle.splice(place, 1)[0]?.timer)
      if (exit.error !== undefined) log.error({ err: exit.error }, 'a parser process could not be started')
    })
    return child
  }

  const take = (): ParserChild => {
    const warm = idle.pop()
    if (warm !== undefined) {
      clearTimeout(warm.timer)
      return warm.child
    }
    return startChild()
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
    idle.push({ child, timer })
  }

  const workers = Math.max(1, options.workers)
  const inHalfOfMemory = Math.floor(totalmem() / 2 / limits.parseMemoryBytes) - workers
  const mostAside = Math.max(1, Math.min(ASIDE_FOR_WORKER * workers, inHalfOfMemory))
  // Warm before the first document comes: a start costs half a second of a core.
  for (let i = 0; i < workers; i++) putBack(startChild())

  /**
   * A look at an upload has a process of its own: somebody waits for its answer, and parsing in the background can take a
   * minute.
   */
  const places = (urgent: boolean): number => workers + (urgent ? 1 : 0)

  /** A turn among `workers`, in order of asking. */
  const turn = async (urgent: boolean, signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted()
    if (busy >= places(urgent)) makeRoom()
    if (busy < places(urgent)) {
      busy++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        waiting.splice(waiting.indexOf(entry), 1)
        reject(signal?.reason as Error)
      }
      const entry = {
        urgent,
        start: (): void => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
      }
      waiting.push(entry)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** The turn passes to the next in line, what is urgent first, or is free. */
  const endTurn = (): void => {
    busy--
    const urgent = waiting.findIndex((entry) => entry.urgent)
    const next = waiting[Math.max(0, urgent)]
    if (next === undefined || busy >= places(next.urgent)) return
    waiting.splice(waiting.indexOf(next), 1)
    busy++
    next.start()
  }

  const makeRoom = (): void => {
    if (aside < mostAside) slow.shift()?.()
  }

  /** Watches what a document takes; the end of its turn, and whether its process is good for another. */
  const clockOf = (child: ParserChild): { progress: () => void; end: () => void; reusable: () => boolean } => {
    let since = { processor: child.processorMs(), wall: performance.now() }
    let isAside = false
    let isListed = false
    let yields = false
    const giveAway = (): void => {
      isAside = true
      aside++
      endTurn()
    }
    const look = async (): Promise<void> => {
      const { processor, wall } = since
      const [before, now] = await Promise.all([processor, child.processorMs()])
      const used = before === null || now === null ? performance.now() - wall : now - before
      if (ended || since.processor !== processor) return
      if (used > ASIDE_AFTER_MS && !isListed) {
        isListed = true
        slow.push(giveAway)
        if (waiting.length > 0) makeRoom()
      }
      if (used > YIELD_AFTER_MS && !yields) yields = child.yieldProcessor()
    }
    let ended = false
    const timer = setInterval(() => void look(), LOOK_EVERY_MS)
    return {
      // A thousand pages take long and are not slow: what counts is the time without a page. Only looked at once in a while, because pages come in thousands.
      progress() {
        const wall = performance.now()
        if (wall - since.wall > LOOK_EVERY_MS) since = { processor: child.processorMs(), wall }
      },
      // Only a privileged process could have its priority back.
      reusable: () => !yields,
      end() {
        ended = true
        clearInterval(timer)
        if (!isAside) {
          if (slow.includes(giveAway)) slow.splice(slow.indexOf(giveAway), 1)
          return endTurn()
        }
        aside--
        if (waiting.length > 0) makeRoom()
      },
    }
  }

  const run = async (task: 'parse' | 'preflight', request: ParseRequest): Promise<ParsedDocument> => {
    await turn(task === 'preflight', request.signal)
    let clock: ReturnType<typeof clockOf> | null = null
    try {
      if (closed)
        throw new DocsearchError(
          'parser_crashed',
          'The instance is shutting down; the document will be read when it is up again',
          { blame: 'internal' },
        )
      const child = take()
      clock = clockOf(child)
      const { result, reusable } = await runJob(
        child,
        { id: ++lastId, task, file: request.file, mediaType: request.mediaType, limits, pdfEngine },
        limits,
        {
          ...request,
          onPage(page, pageCount) {
            clock?.progress()
            request.onPage?.(page, pageCount)
          },
        },
      )
      if (reusable && clock.reusable()) putBack(child)
      else discard(child)
      return await result
    } finally {
      if (clock === null) endTurn()
      else clock.end()
    }
  }

  return {
    capacity: workers + mostAside,
    parse: (request) => run('parse', request),
    async preflight(request) {
      if (request.mediaType !== PDF || !(await contains(request.file, Buffer.from('/Encrypt')))) return
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
