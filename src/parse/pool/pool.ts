import { appendFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import type { Limits } from '../../config/config.ts'
import { DocsearchError } from '../../core/errors.ts'
import { FORMATS } from '../../core/formats.ts'
import type { Logger } from '../../core/logger.ts'
import type { Page, ParsedDocument } from '../../core/parsed.ts'
import { crashed, poolClosed } from '../failures.ts'
import type { PdfEngine } from '../parser.ts'
import { contains } from '../sniff/archive.ts'
import type { PageQuestion, SentPageAnswer } from '../pdf/image/page-question.ts'
import type { AttachmentPiece, Job } from '../worker/protocol.ts'
import type { ParserProcess } from './parser-process.ts'
import { ParserProcesses } from './processes.ts'
import { runJob } from './run-job.ts'
import { Slots } from './slots.ts'

/**
 * A document is slow after this long without a page. It then gives its slot to a waiting document, so that a few endless documents
 * don't hold up all others. Not earlier, because the process that starts in its place takes about a second of a core.
 */
const SLOW_MS = 500
/** The first documents of a process are slow later: its code is compiled while they run, and a good one takes up to 800 ms. */
const SLOW_AT_FIRST_MS = 1_000
const FIRST_DOCUMENTS = 3
/** Displaced documents for each worker. All together may take at most half of the machine's memory at the limit of each. */
const MAX_DISPLACED_PER_WORKER = 4
/**
 * The share of the memory limit that a process may still use after a document. The rest is for the next document, which can reuse only
 * a part of what the process has. Measured with the default limit: many documents of all formats leave 375 MiB in use, and the
 * largest documents within the other limits take 345 MiB more.
 */
const MAX_RESTING_SHARE = 1 / 2

export interface ParserPoolOptions {
  /**
   * Documents that are read at the same time, each in its own process. `preflight` adds a process, and so does each document that
   * takes long (see `capacity`). The processes start with the pool, and again when needed.
   */
  workers: number
  limits: Pick<Limits, 'pages' | 'parseMs' | 'parseStallMs' | 'parseMemoryBytes' | 'textBytes' | 'xmlBytes'>
  pdfEngine: PdfEngine
  log: Logger
}

export interface ParseRequest {
  /** The user who owns the document. Users share the parsers. */
  owner: string
  /** The path. Only it goes to the process. */
  file: string
  /** The result of sniff(). */
  mediaType: string
  /** The document's name, for the log and for the language of source code. */
  name: string
  /** When aborted, the process is killed and `parse` rejects with the signal's reason. */
  signal?: AbortSignal
  /** Called with each page as soon as it is read, in order. */
  onPage?: (page: Page, pageCount: number) => void
  /** Called with each piece of an attachment, in order. `parse` waits for these calls, and rejects if one does. */
  onAttachment?: (piece: AttachmentPiece) => Promise<void>
}

/** A question about a page of a PDF. `owner` is the user who asks. */
export type PageRequest = Pick<ParseRequest, 'owner' | 'file' | 'signal'> & { question: PageQuestion }

export interface ParserPool {
  /** The documents that can have a process at the same time, including those that take long. */
  readonly capacity: number
  /** The processes that exist and those without a job, and how many documents wait for one. */
  readonly state: { processes: number; idle: number; waiting: number }
  /**
   * Reads a document in a parser process.
   *
   * If a limit of time or memory or a failure of the parser stops it after some pages, `parse` resolves with these pages, a
   * warning with the failure's code, and a `pageCount` larger than `pages.length`. If the process ends in any other way, `parse`
   * rejects with `parser_crashed`, and another attempt may succeed.
   * Throws DocsearchError: `encrypted`, `corrupt`, `parse_timeout`, `parse_memory`, `too_many_pages`, `too_much_text`,
   * `too_much_xml`, `too_many_entries`, `parser_crashed`, `unsupported_type`.
   */
  parse(request: ParseRequest): Promise<ParsedDocument>
  /**
   * Checks an upload before it is accepted. Throws `encrypted` for a PDF with a password. Starts no process for a file without
   * encryption.
   */
  preflight(request: Omit<ParseRequest, 'onPage'>): Promise<void>
  /**
   * Renders a page of a PDF or finds marks on it, in a parser process with the limits of a parser. Throws `page_not_found`,
   * `encrypted`, `corrupt`, `parse_timeout`, `parse_memory`, `parser_crashed`.
   */
  askPage(request: PageRequest): Promise<SentPageAnswer>
  /** Writes a picture as a PDF to a new file, for an OCR program. Throws like `parse`. */
  wrapAsPdf(request: Pick<ParseRequest, 'owner' | 'file' | 'signal'>, target: string): Promise<void>
  /** Ends all processes. Documents that are being read reject with `parser_crashed`. */
  close(): Promise<void>
}

type JobRequest = Omit<ParseRequest, 'mediaType' | 'name'> & {
  mediaType?: string
  name?: string
  question?: PageQuestion
  onAnswer?: (answer: SentPageAnswer) => void
}

/**
 * Starts a pool of parser processes with limits of time, memory and output. It is our own because the packages for pools (piscina,
 * tinypool, workerpool) know no permissions, no limit of resident memory and no pause for one task.
 */
export function createParserPool(options: ParserPoolOptions): ParserPool {
  return new ProcessPool(options)
}

class ProcessPool implements ParserPool {
  readonly capacity: number
  private readonly options: ParserPoolOptions
  private readonly processes: ParserProcesses
  private readonly slots: Slots
  private isClosed = false
  private lastJobId = 0

  constructor(options: ParserPoolOptions) {
    this.options = options
    const workers = Math.max(1, options.workers)
    const fitsInHalfOfMemory = Math.floor(totalmem() / 2 / options.limits.parseMemoryBytes) - workers
    const maxDisplaced = Math.max(1, Math.min(MAX_DISPLACED_PER_WORKER * workers, fitsInHalfOfMemory))
    this.capacity = workers + maxDisplaced
    this.slots = new Slots(workers, maxDisplaced)
    // One more than workers, for the checks of uploads and for the first document of another user.
    this.processes = new ParserProcesses({
      maxIdle: workers + 1,
      maxAll: this.capacity + 1,
      maxRestingBytes: options.limits.parseMemoryBytes * MAX_RESTING_SHARE,
      log: options.log,
    })
    for (let i = 0; i < workers; i++) this.processes.warmUp()
  }

  get state(): ParserPool['state'] {
    const { all, idle } = this.processes.count
    return { processes: all, idle, waiting: this.slots.waitingCount }
  }

  parse(request: ParseRequest): Promise<ParsedDocument> {
    return this.run('parse', request)
  }

  async preflight(request: Omit<ParseRequest, 'onPage'>): Promise<void> {
    if (request.mediaType !== FORMATS.pdf.mediaType || !(await contains(request.file, Buffer.from('/Encrypt')))) return
    try {
      await this.run('preflight', request)
    } catch (error) {
      if (!(error instanceof DocsearchError) || error.code === 'encrypted') throw error
      // The parser reports every other failure later, after it has tried the second PDF engine too.
      this.options.log.debug({ code: error.code }, 'preflight failed')
    }
  }

  async askPage({ question, ...request }: PageRequest): Promise<SentPageAnswer> {
    let answer: SentPageAnswer | undefined
    await this.run('page', { ...request, question, onAnswer: (sent) => (answer = sent) })
    if (answer === undefined) throw crashed(new Error('the process gave no answer'))
    return answer
  }

  async wrapAsPdf(request: Pick<ParseRequest, 'owner' | 'file' | 'signal'>, target: string): Promise<void> {
    const onAttachment = ({ data }: AttachmentPiece): Promise<void> => appendFile(target, data, 'base64')
    await this.run('wrap', { ...request, onAttachment })
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.processes.close()
  }

  private async run(task: Job['task'], request: JobRequest): Promise<ParsedDocument> {
    let process: ParserProcess | undefined
    const slot = await this.slots.take({
      owner: request.owner,
      // A user waits for the result, and a document in the background can take a minute.
      urgent: task === 'preflight' || task === 'page',
      signal: request.signal,
      pause: () => process?.pause(),
      resume: () => process?.resume(),
    })
    try {
      if (this.isClosed) throw poolClosed()
      const taken = this.processes.take(task)
      process = taken
      const slowMs = taken.documentsRead < FIRST_DOCUMENTS ? SLOW_AT_FIRST_MS : SLOW_MS
      const { result, isReusable } = await runJob(taken, this.jobOf(task, request), this.options.limits, {
        signal: request.signal,
        onPage: request.onPage,
        onAttachment: request.onAttachment,
        onAnswer: request.onAnswer,
        onCheck: (sincePageMs) => slot.setSlow(sincePageMs > slowMs),
      })
      // The process may have been paused after its last answer. From here on it belongs to the next document.
      process = undefined
      taken.resume()
      if (isReusable) this.processes.putBack(taken)
      else this.processes.discard(taken)
      return await result
    } finally {
      slot.release()
    }
  }

  private jobOf(task: Job['task'], { file, mediaType = FORMATS.pdf.mediaType, name = '', question }: JobRequest): Job {
    const { limits, pdfEngine } = this.options
    return { id: ++this.lastJobId, task, file, mediaType, name, limits, pdfEngine, ...(question && { question }) }
  }
}
