import type { Blobs } from '../blobs/blobs.ts'
import { DeadlinePassed, withDeadline } from '../core/deadline.ts'
import { DocsearchError, isDocsearchError, type ErrorCode } from '../core/errors.ts'
import { LruCache } from '../core/lru-cache.ts'
import type { PageMarks, TextToMark } from '../core/page-image.ts'
import { UserSlots } from '../core/turns.ts'
import type { PageQuestion, SentPageAnswer } from '../parse/pdf/image/page-question.ts'
import type { ParserPool } from '../parse/pool/pool.ts'
import type { ImageCache, ImageKey } from './image-cache.ts'

/** Increases when the same page gets another image, so that no cache returns the old one. */
const VERSION = 1
/** A page gets an image within this time, with the time that it waits for a parser process, or not at all. */
const DEADLINE_MS = 20_000
/** The view of a document goes on without marks after this time. */
const MARKS_DEADLINE_MS = 3_000
/** Questions that one user may have waiting. A browser asks for a page and its neighbours. */
const MAX_WAITING = 24
/** docsearch does not try a failed page again for this long, because a hostile page uses up the time limit at each attempt. */
const FAILURE_MS = 10 * 60_000
const MEMORY_BYTES = 4_000_000
/** Failures that the page would meet again. */
const LASTING = new Set<ErrorCode>(['corrupt', 'encrypted', 'parse_timeout', 'parse_memory', 'parser_crashed'])
const RETRY_S = 5

interface Failure {
  error: DocsearchError
  until: number
}

/** Renders pages of originals, and finds passages on them, in parser processes. Knows no permissions. */
export interface PageImages {
  /** The value of the image that changes when the image changes. */
  etag(key: ImageKey): string
  /**
   * Returns the image of a page as PNG, from the cache if it is there. Throws `page_not_found`, `page_image_failed`, `blob_missing`,
   * `unavailable` and `rate_limited`.
   *
   * @param owner The user who asks. Users take turns.
   */
  image(owner: string, key: ImageKey): Promise<Buffer>
  /** Returns where a passage is on a page. Throws like `image`. */
  marks(owner: string, page: Omit<ImageKey, 'width'>, toMark: TextToMark): Promise<PageMarks>
}

export function createPageImages(options: {
  blobs: Pick<Blobs, 'withFile'>
  parserPool: Pick<ParserPool, 'askPage'>
  cache: Pick<ImageCache, 'get' | 'put'>
  /** Default: 20 s. */
  deadlineMs?: number
}): PageImages {
  return new RenderedPages(options)
}

class RenderedPages implements PageImages {
  private readonly blobs: Pick<Blobs, 'withFile'>
  private readonly parserPool: Pick<ParserPool, 'askPage'>
  private readonly cache: Pick<ImageCache, 'get' | 'put'>
  private readonly deadlineMs: number
  private readonly slots = new UserSlots(MAX_WAITING)
  private readonly failures = new LruCache<Failure>(MEMORY_BYTES)
  private readonly found = new LruCache<PageMarks>(MEMORY_BYTES)
  /** Images that are being rendered. Requests for the same image share the work. */
  private readonly rendering = new Map<string, Promise<Buffer>>()

  constructor({ blobs, parserPool, cache, deadlineMs = DEADLINE_MS }: Parameters<typeof createPageImages>[0]) {
    this.blobs = blobs
    this.parserPool = parserPool
    this.cache = cache
    this.deadlineMs = deadlineMs
  }

  etag({ sha256, page, width }: ImageKey): string {
    return `"${sha256.slice(0, 32)}-${page}-${width}-${VERSION}"`
  }

  async image(owner: string, key: ImageKey): Promise<Buffer> {
    const cached = await this.cache.get(key)
    if (cached !== null) return cached
    const name = this.etag(key)
    const shared = this.rendering.get(name) ?? this.render(owner, key).finally(() => this.rendering.delete(name))
    this.rendering.set(name, shared)
    return shared
  }

  async marks(owner: string, { sha256, page }: Omit<ImageKey, 'width'>, toMark: TextToMark): Promise<PageMarks> {
    const key = JSON.stringify([sha256, page, toMark.passage, toMark.words])
    const known = this.found.get(key)
    if (known !== undefined) return known
    const answer = await this.ask(owner, sha256, { page, toMark }, MARKS_DEADLINE_MS)
    if (!('marks' in answer)) throw new Error('the parser process answered another question')
    this.found.set(key, answer.marks, key.length + JSON.stringify(answer.marks).length)
    return answer.marks
  }

  private async render(owner: string, key: ImageKey): Promise<Buffer> {
    const { sha256, page, width } = key
    const answer = await this.ask(owner, sha256, { page, width }, this.deadlineMs)
    if (!('png' in answer)) throw new Error('the parser process answered another question')
    const image = Buffer.from(answer.png, 'base64')
    await this.cache.put(key, image)
    return image
  }

  private async ask(owner: string, sha256: string, question: PageQuestion, deadlineMs: number): Promise<SentPageAnswer> {
    const page = `${sha256} ${question.page}`
    const failure = this.failures.get(page)
    if (failure !== undefined && failure.until > performance.now()) throw failure.error
    const release = this.slots.take(owner)
    if (release === null)
      throw new DocsearchError('rate_limited', `You have ${MAX_WAITING} images of pages waiting. Try again when they are done.`, {
        retryAfter: RETRY_S,
      })
    try {
      return await withDeadline(deadlineMs, undefined, (signal) =>
        this.blobs.withFile(sha256, (file) => this.parserPool.askPage({ owner, file, signal, question })),
      )
    } catch (error) {
      throw this.noteFailure(page, question.page, error)
    } finally {
      release()
    }
  }

  /** Returns the error for the user. */
  private noteFailure(key: string, page: number, error: unknown): unknown {
    if (error instanceof DeadlinePassed)
      return new DocsearchError('unavailable', 'The instance is busy with other documents.', {
        cause: error,
        retryAfter: RETRY_S,
      })
    if (!isDocsearchError(error) || !LASTING.has(error.code)) return error
    const why = REASONS[error.code] ?? 'The original is damaged.'
    const known = new DocsearchError(
      'page_image_failed',
      `Page ${page} cannot be shown as an image. ${why} Download the original.`,
      {
        cause: error,
        details: { reason: error.code },
      },
    )
    // Something outside may have killed the process, so a crash counts only for a moment.
    const lasts = error.code === 'parser_crashed' ? FAILURE_MS / 60 : FAILURE_MS
    this.failures.set(key, { error: known, until: performance.now() + lasts }, 1_000)
    return known
  }
}

const REASONS: Partial<Record<ErrorCode, string>> = {
  encrypted: 'The original needs a password.',
  parse_timeout: 'It takes longer than the limit on time.',
  parse_memory: 'It takes more memory than the limit.',
  parser_crashed: 'The program that renders pages has stopped.',
}
