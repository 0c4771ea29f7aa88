import type { IncomingMessage } from 'node:http'

const MAX_BYTES = 64_000_000
/** The time that nginx gives such a client by default (lingering_time). */
const MAX_MS = 30_000

/**
 * Reads and drops what a client still sends after its request was answered. Closing a connection with unread bytes resets it, and the
 * client would never see the answer. A client that sends more than MAX_BYTES, or longer than MAX_MS, is cut off.
 */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed || request.readableFlowing === true) return
  const late = setTimeout(() => request.destroy(), MAX_MS)
  const stop = () => clearTimeout(late)
  request.once('end', stop).once('close', stop)
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_BYTES) request.destroy()
  })
  request.on('error', () => {
    // The client has gone, so the error has no reader.
  })
  request.resume()
}
