import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'

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
export async function sendStream(stream: Readable, { send, touch, signal }: SendOptions): Promise<void> {
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
