import type { IncomingMessage } from 'node:http'

const MOST_BYTES = 64_000_000

/**
 * Reads on and throws away what a client still sends after its request was answered: a connection closed with bytes unread
 * is reset, and the client never sees the answer. One that goes on and on is cut off.
 */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed || request.readableFlowing === true) return
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MOST_BYTES) request.destroy()
  })
  request.on('error', () => {
    // The client has gone: there is nobody left to answer.
  })
  request.resume()
}
