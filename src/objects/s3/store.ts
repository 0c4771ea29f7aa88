import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import type { GetObjectCommandOutput, PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import type { StoreLocation, ByteRange, LocalFile, ObjectStore, StoredObject, StoreState } from '../object-store.ts'
import {
  BadAnswer,
  isAmbiguous,
  isConditionFailed,
  isMissing,
  isPassing,
  toStoreError,
  StoreTimeout,
  type Requests,
} from './requests.ts'
import type { Sdk } from './sdk.ts'
import { finished } from 'node:stream/promises'

/** Larger bodies are sent piece by piece, so that each piece shows that the transfer goes on. */
const PIECE_BYTES = 65_536

interface Body {
  size: number
  sha256: string
  /** Opened for each attempt. */
  open(): Readable | Uint8Array
}

/** Objects in a bucket of a store with the API of S3. */
export class S3Store implements ObjectStore {
  readonly #sdk: Sdk
  readonly #client: S3Client
  readonly #location: StoreLocation
  readonly #requests: Requests

  constructor(sdk: Sdk, client: S3Client, location: StoreLocation, requests: Requests) {
    this.#sdk = sdk
    this.#client = client
    this.#location = location
    this.#requests = requests
  }

  async putFile(key: string, { path, size, sha256 }: LocalFile): Promise<void> {
    await this.#explained(() => this.#put(key, { size, sha256, open: () => openFile(path) }))
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#explained(() => this.#put(key, bodyOf(bytes)))
  }

  async create(key: string, bytes: Uint8Array): Promise<boolean> {
    // An earlier attempt whose answer was lost may have stored the bytes. The next attempt then finds them there.
    let mayBeOurs = false
    const canRepeat = (error: unknown) => {
      mayBeOurs ||= isAmbiguous(error)
      return isPassing(error)
    }
    try {
      await this.#put(key, bodyOf(bytes), { IfNoneMatch: '*' }, canRepeat)
      return true
    } catch (error) {
      if (!isConditionFailed(error)) throw toStoreError(error)
      return mayBeOurs && (await this.#has(key, bytes))
    }
  }

  async read(key: string, range?: ByteRange): Promise<{ size: number; stream: Readable } | null> {
    const first = await this.#orNull(() => this.#open(key, range))
    if (first === null) return null
    const { answerMs: _, stallMs, retries } = this.#requests.timing
    const reopen = (rest: ByteRange) => this.#explained(() => this.#open(key, rest, first.etag))
    return { size: first.size, stream: download({ first, reopen, stallMs, retries }) }
  }

  async find(key: string): Promise<StoredObject | null> {
    const command = new this.#sdk.HeadObjectCommand(this.#place(key))
    const found = await this.#orNull(() => this.#requests.send((abortSignal) => this.#client.send(command, { abortSignal })))
    if (found === null) return null
    return { key, size: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date() }
  }

  async *list(prefix: string, after?: string): AsyncGenerator<StoredObject> {
    const { bucket, prefix: own } = this.#location
    for (let token: string | undefined, isLast = false; !isLast;) {
      const command = new this.#sdk.ListObjectsV2Command({
        Bucket: bucket,
        Prefix: own + prefix,
        ...(after !== undefined && token === undefined && { StartAfter: own + after }),
        ...(token !== undefined && { ContinuationToken: token }),
      })
      const page = await this.#requests.sendOrExplain((abortSignal) => this.#client.send(command, { abortSignal }))
      for (const { Key, Size, LastModified } of page.Contents ?? [])
        yield { key: Key!.slice(own.length), size: Size ?? 0, modifiedAt: LastModified ?? new Date() }
      token = page.NextContinuationToken
      isLast = page.IsTruncated !== true || token === undefined
    }
  }

  async delete(key: string): Promise<void> {
    const command = new this.#sdk.DeleteObjectCommand(this.#place(key))
    await this.#orNull(() => this.#requests.send((abortSignal) => this.#client.send(command, { abortSignal })))
  }

  state(): StoreState {
    return this.#requests.state()
  }

  close(): void {
    this.#requests.close()
    this.#client.destroy()
  }

  #place(key: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#location
    return { Bucket: bucket, Key: prefix + key }
  }

  async #put(
    key: string,
    body: Body,
    condition: Pick<PutObjectCommandInput, 'IfNoneMatch'> = {},
    canRepeat?: (error: unknown) => boolean,
  ): Promise<void> {
    const { size, sha256, open } = body
    await this.#requests.send(async (abortSignal, touch) => {
      const Body = open()
      const command = new this.#sdk.PutObjectCommand({
        ...this.#place(key),
        ...condition,
        Body,
        ContentLength: size,
        // Stores that don't know this header check the hash that is signed.
        ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
      })
      command.middlewareStack.add(signedHash(sha256), { step: 'build', name: 'signedHash' })
      const send = () => this.#client.send(command, { abortSignal })
      if (Body instanceof Readable) await sendStream(Body, { send, touch, signal: abortSignal })
      else await send()
    }, canRepeat)
  }

  /** Opens an object or a part of it. With `etag`, only if the object has not changed. */
  async #open(key: string, range?: ByteRange, etag?: string): Promise<Opened & { size: number; etag: string | undefined }> {
    const command = new this.#sdk.GetObjectCommand({
      ...this.#place(key),
      ...(range !== undefined && { Range: `bytes=${range.start}-${range.end}` }),
      ...(etag !== undefined && { IfMatch: etag }),
    })
    const answer = await this.#requests.send((abortSignal) => this.#client.send(command, { abortSignal }))
    const { Body, ETag } = answer
    if (!(Body instanceof Readable)) throw new BadAnswer('the answer has no body')
    try {
      return { body: Body, etag: ETag, ...extentOf(answer, range) }
    } catch (error) {
      Body.destroy()
      throw error
    }
  }

  async #has(key: string, bytes: Uint8Array): Promise<boolean> {
    const found = await this.read(key)
    if (found === null) return false
    const stored = await Readable.from(found.stream).toArray()
    return Buffer.concat(stored as Buffer[]).equals(bytes)
  }

  async #orNull<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work()
    } catch (error) {
      if (!isMissing(error)) throw toStoreError(error)
      // The store has answered, so it works.
      this.#requests.noteAnswer()
      return null
    }
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw toStoreError(error)
    }
  }
}

/** Opens a local file. An error while reading names the file too, as an error while opening does. */
function openFile(path: string): Readable {
  return createReadStream(path).once('error', (error) => Object.assign(error, { path }))
}

function bodyOf(bytes: Uint8Array): Body {
  const open = () => (bytes.length <= PIECE_BYTES ? bytes : Readable.from(piecesOf(bytes), { objectMode: false }))
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), open }
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

/** Returns the range of bytes in an answer, and the size of the whole object. */
function extentOf(
  { ContentLength = 0, ContentRange }: GetObjectCommandOutput,
  wanted?: ByteRange,
): { range: ByteRange; size: number } {
  if (wanted === undefined) return { range: { start: 0, end: ContentLength - 1 }, size: ContentLength }
  const [, start, end, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange ?? '') ?? []
  const range = { start: Number(start), end: Number(end) }
  if (range.start !== wanted.start || range.end !== Math.min(wanted.end, Number(size) - 1))
    throw new BadAnswer('the store sent a different range of bytes than requested')
  return { range, size: Number(size) }
}

/** Signs the hash of the body. The SDK would sign that the payload of a stream is unsigned. */
function signedHash(sha256: string) {
  return <Args extends { request: unknown }, Output>(next: (args: Args) => Promise<Output>) =>
    (args: Args): Promise<Output> => {
      const { headers } = args.request as { headers: Record<string, string> }
      headers['x-amz-content-sha256'] = sha256
      return next(args)
    }
}

interface SendOptions {
  /** Sends the request that has the stream as its body. */
  send(): Promise<unknown>
  /** Called whenever the connection has taken a piece of the stream. */
  touch(): void
  /** Ends the wait for the connection. */
  signal: AbortSignal
}

/**
 * Sends a request whose body is a stream, and waits until its connection is free again. The answer can come before Node has noticed the end of the
 * stream. Then the SDK is done, but Node keeps the connection until the request has ended.
 *
 * Throws what `send` throws, and errors of the stream. Destroys the stream.
 */
async function sendStream(stream: Readable, { send, touch, signal }: SendOptions): Promise<void> {
  const push = stream.push.bind(stream)
  stream.push = (...piece) => {
    touch()
    return push(...piece)
  }
  const sent = watchPipe(stream)
  try {
    await send()
    // The store has confirmed the object, whatever happens to the connection now.
    if (sent.request !== null) await finished(sent.request, { signal }).catch(() => {})
  } finally {
    stream.destroy()
    // Closes the connection if the store has not read the whole body.
    if (sent.request?.writableFinished === false) sent.request.destroy()
  }
}

/**
 * Watches for the request into which the SDK pipes a stream. `request` is null until then. The SDK does not listen for errors of the stream, so an
 * error destroys the request here.
 */
function watchPipe(stream: Readable): { request: Writable | null } {
  const sent: { request: Writable | null } = { request: null }
  const pipe = stream.pipe.bind(stream)
  stream.pipe = (request, options) => {
    sent.request = request as unknown as Writable
    if (stream.errored !== null) sent.request.destroy(stream.errored)
    return pipe(request, options)
  }
  stream.once('error', (error) => sent.request?.destroy(error))
  return sent
}

/** An answer of the store whose headers have arrived. */
interface Opened {
  body: Readable
  /** The range of the object that `body` contains. */
  range: ByteRange
}

interface DownloadOptions {
  first: Opened
  /** Opens the rest of the same object. */
  reopen(range: ByteRange): Promise<Opened>
  stallMs: number
  /** How many times in a row to ask for the rest without receiving a byte. */
  retries: number
}

/** Returns the bytes of an object as a stream. When a connection breaks or stalls, asks for the rest. */
function download(options: DownloadOptions): Readable {
  const state = { body: options.first.body }
  const stream = Readable.from(parts(options, state), { objectMode: false, highWaterMark: 65_536 })
  // A stream that is destroyed before it is read never runs the generator.
  return stream.once('close', () => state.body.destroy())
}

async function* parts({ first, reopen, stallMs, retries }: DownloadOptions, state: { body: Readable }): AsyncGenerator<Buffer> {
  const { end } = first.range
  let at = first.range.start
  for (let failures = 0; at <= end;) {
    if (failures > 0) state.body = (await reopen({ start: at, end })).body
    const reading = pieces(state.body, stallMs)
    let piece = await nextOf(reading)
    try {
      for (; 'bytes' in piece; piece = await nextOf(reading)) {
        at += piece.bytes.length
        failures = 0
        // Not in a `try` that catches: a reader that gives up throws its error here.
        yield piece.bytes
      }
    } finally {
      state.body.destroy()
    }
    failures += 1
    if (at <= end && failures > retries) throw toStoreError(piece.error)
  }
}

/** The next piece of a body, or why there is none. */
type Piece = { bytes: Buffer } | { error: unknown }

async function nextOf(reading: AsyncIterator<Buffer>): Promise<Piece> {
  try {
    const { done, value } = await reading.next()
    return done === true ? { error: new BadAnswer('the connection ended before the last byte') } : { bytes: value }
  } catch (error) {
    return { error }
  }
}

/** Yields the pieces of a body. Throws StoreTimeout if one does not come in time. The time of the reader does not count. */
async function* pieces(body: Readable, stallMs: number): AsyncGenerator<Buffer> {
  const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  for (;;) {
    const timer = setTimeout(() => body.destroy(new StoreTimeout(`no byte for ${stallMs / 1000} s`)), stallMs)
    const { done, value } = await iterator.next().finally(() => clearTimeout(timer))
    if (done === true) return
    yield value
  }
}
