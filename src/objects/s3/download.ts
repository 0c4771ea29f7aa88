import { Readable } from 'node:stream'
import type { ByteRange } from '../object-store.ts'
import { BadAnswer, StoreTimeout, toStoreError } from './failures.ts'

/** An answer of the store whose headers have arrived. */
export interface Opened {
  body: Readable
  /** The range of the object that `body` contains. */
  range: ByteRange
}

export interface DownloadOptions {
  first: Opened
  /** Opens the rest of the same object. */
  reopen(range: ByteRange): Promise<Opened>
  stallMs: number
  /** How many times in a row to ask for the rest without receiving a byte. */
  retries: number
}

/** Returns the bytes of an object as a stream. When a connection breaks or stalls, asks for the rest. */
export function download(options: DownloadOptions): Readable {
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
