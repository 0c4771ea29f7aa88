import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { fail } from '../../problems/problems.ts'

/** Takes the content of one part. */
export interface PartSink {
  write(chunk: Buffer): Promise<void>
  end(): Promise<void>
}

export interface PartHead {
  /** The name of the form field; empty when there is none. */
  name: string
  /** The file name as the client wrote it, with any path; null for a plain field. */
  fileName: string | null
}

export interface MultipartOptions {
  chunks: AsyncIterable<Buffer>
  boundary: string
  maxParts: number
  open(head: PartHead): Promise<PartSink>
}

type Headers = Record<string, string[]>

/** Dicer reads up to 80 kB of headers and drops the rest without an error, so a part over this limit is noticed. */
const MAX_HEADER_BYTES = 16_384

/**
 * Reads a multipart body to its end, one part after the other, each into the sink that `open` returns for it. Throws `invalid_multipart` when the
 * body is malformed or cut off, `too_many_parts`, `body_too_large` for the headers of a part, and whatever `open` and its sinks throw.
 */
export function readMultipart(options: MultipartOptions): Promise<void> {
  return new MultipartReader(options).read()
}

/**
 * Uses Dicer, the parser inside @fastify/busboy, but not its form class. That class skips malformed parts and cuts long fields silently, and an
 * upload must not lose a file that way.
 */
class MultipartReader {
  readonly #options: MultipartOptions
  readonly #parser: Dicer
  readonly #delimiter: Buffer
  /** Parts that were found and are not read to their end. */
  readonly #open = new Set<Readable>()
  /** Resolves when the parser has found the end of the body, or reading has failed. Dicer may find it before its own `end` is called. */
  readonly #finished = Promise.withResolvers<void>()
  #isFinished = false
  #parts = 0
  /** Settles when all parts found so far are read. */
  #work: Promise<void> = Promise.resolve()
  #failure: Error | null = null

  constructor(options: MultipartOptions) {
    this.#options = options
    this.#parser = new Dicer({ boundary: options.boundary })
    this.#delimiter = Buffer.from(`\r\n--${options.boundary}`)
    this.#parser.on('part', (part: Readable) => this.#takePart(part))
    // The parser's own error is a body without its end; errors of a part come later and are caused by it.
    this.#parser.on('error', () => this.#stop(malformed()))
    this.#parser.on('finish', () => {
      this.#isFinished = true
      this.#finished.resolve()
    })
  }

  async read(): Promise<void> {
    try {
      await this.#parse()
    } catch (error) {
      this.#stop(error)
    }
    await this.#work
    if (this.#failure !== null) throw this.#failure
  }

  async #parse(): Promise<void> {
    const parser = this.#parser
    for await (const chunk of this.#options.chunks) {
      if (this.#failure !== null) return
      // The epilogue means nothing (RFC 2046 section 5.1.1). A parser that has finished would keep it in memory.
      if (this.#isFinished) continue
      const bytes = this.#cutAfterTooManyParts(chunk)
      // Dicer never calls back a write in which the body ends while a part is full, so `drain` may not come.
      if (!parser.write(bytes)) await Promise.race([once(parser, 'drain'), this.#finished.promise])
      if (bytes.length < chunk.length || this.#parts > this.#options.maxParts) return this.#finished.promise
    }
    parser.end()
    await this.#finished.promise
  }

  /** Parsing a part costs Dicer a thousand times more than reading its bytes, and a chunk can have thousands of parts. */
  #cutAfterTooManyParts(chunk: Buffer): Buffer {
    let end = 0
    // Dicer reports a part when it has seen the delimiter after it at the latest.
    for (let parts = this.#parts; parts <= this.#options.maxParts + 1; parts++) {
      const start = chunk.indexOf(this.#delimiter, end)
      if (start === -1) return chunk
      end = start + this.#delimiter.length
    }
    return chunk.subarray(0, end)
  }

  #takePart(part: Readable): void {
    // Dicer reports a missing end of the part here, after the parser's own error.
    part.on('error', () => {})
    this.#parts++
    const { maxParts } = this.#options
    if (this.#parts > maxParts || this.#failure !== null) {
      part.resume()
      // The parts before it come first: one of them may be refused for another reason.
      if (this.#parts === maxParts + 1) this.#work = this.#work.then(() => this.#stop(tooManyParts(maxParts)))
      return
    }
    this.#open.add(part)
    const headers = Promise.withResolvers<Headers | null>()
    part.on('header', headers.resolve)
    part.on('close', () => headers.resolve(null))
    this.#work = this.#work.then(() => this.#readPart(part, headers.promise)).catch((error: unknown) => this.#stop(error))
  }

  async #readPart(part: Readable, headers: Promise<Headers | null>): Promise<void> {
    if (this.#failure !== null) return
    let sink: PartSink | null = null
    for await (const chunk of part as AsyncIterable<Buffer>) {
      sink ??= await this.#options.open(headOf(await headers))
      await sink.write(chunk)
    }
    sink ??= await this.#options.open(headOf(await headers))
    await sink.end()
    this.#open.delete(part)
  }

  /** The first failure counts. Ends the parser and all parts, so that nothing waits for bytes that will not be parsed. */
  #stop(error: unknown): void {
    if (this.#failure !== null) return
    this.#failure = error instanceof Error ? error : new Error(String(error))
    const reason = new Error('reading the multipart body has ended', { cause: error })
    for (const part of this.#open) part.destroy(reason)
    this.#parser.destroy(reason)
    this.#finished.resolve()
  }
}

function tooManyParts(limit: number): Error {
  return fail(
    'too_many_parts',
    `The request has ${limit + 1} parts or more; the limit is ${limit}. Send fewer files at a time.`,
    {
      limit,
    },
  )
}

function malformed(): Error {
  return fail('invalid_multipart', 'The multipart body is malformed or was cut off; nothing was stored. Send it again.')
}

/** Only Content-Disposition matters. `headers` is null when the part ended before its headers did. */
function headOf(headers: Headers | null): PartHead {
  if (headers === null) throw malformed()
  let bytes = 0
  for (const [name, values] of Object.entries(headers)) for (const value of values) bytes += name.length + value.length
  if (bytes > MAX_HEADER_BYTES)
    throw fail('body_too_large', `The headers of a part are over the limit of ${MAX_HEADER_BYTES} bytes.`, {
      limit: MAX_HEADER_BYTES,
    })
  const [disposition] = headers['content-disposition'] ?? []
  if (disposition === undefined) throw malformed()
  // Dicer decodes headers as Latin-1, and clients write UTF-8 (RFC 7578 section 5.1).
  const text = Buffer.from(disposition, 'latin1').toString('utf8')
  return { name: parameter(text, 'name') ?? '', fileName: parameter(text, 'filename') }
}

/**
 * Reads a parameter of Content-Disposition as clients write it: quoted, with `"` and line breaks percent-encoded (browsers, curl) or after a
 * backslash (older clients). A backslash before any other character stands for itself, as in a Windows path.
 */
function parameter(disposition: string, name: string): string | null {
  const extended =
    name === 'filename' ? new RegExp(`;\\s*${name}\\*=utf-8'[^']*'([^;\\s]+)`, 'i').exec(disposition)?.[1] : undefined
  if (extended !== undefined) return decodeExtended(extended)
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s"]*))`, 'i').exec(disposition)
  if (match === null) return null
  const written = match[1]?.replaceAll('\\"', '"') ?? match[2] ?? ''
  return written.replaceAll(/%(22|0D|0A)/gi, (escaped) => decodeURIComponent(escaped))
}

function decodeExtended(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // Not percent-encoded after all, so the name is used as it is.
    return value
  }
}
