import type { IncomingMessage } from 'node:http'
import { networkOf } from '../../core/network.ts'
import { RateCounter } from '../../core/rate-counter.ts'
import type { Ctx } from '../routing/context.ts'

const MAX_BYTES = 64_000_000
/** The time that nginx gives such a client by default (lingering_time). */
const MAX_MS = 30_000
/**
 * Pieces of refused bodies that one address without a credential may send a minute. A piece has at most 64 kB, so one body of
 * `MAX_BYTES` fits.
 */
const MAX_ANONYMOUS_PIECES = 1_000

/**
 * Returns a function that reads and drops what a client still sends after its request was answered. Closing a connection with
 * unread bytes resets it, and the client would never see the answer. Cuts off a client that sends more than `MAX_BYTES` or for
 * longer than `MAX_MS`. Also cuts off a client without an accepted credential if its address has used up its pieces, because
 * reading costs about 3 ms for each megabyte.
 */
export function drainer({ maxAnonymousPieces = MAX_ANONYMOUS_PIECES } = {}): (ctx: Ctx) => void {
  const anonymous = new RateCounter({ limit: maxAnonymousPieces, seconds: 60 })
  return (ctx) => {
    const { principal, login } = ctx.state
    const network = principal === undefined && login === undefined ? networkOf(ctx.ip) : null
    drain(ctx.req, (bytes) => bytes > MAX_BYTES || (network !== null && anonymous.take(network).isOver))
  }
}

function drain(request: IncomingMessage, isTooMuch: (bytes: number) => boolean): void {
  if (request.complete || request.destroyed || request.readableFlowing === true) return
  const late = setTimeout(() => request.destroy(), MAX_MS)
  const stop = () => clearTimeout(late)
  request.once('end', stop).once('close', stop)
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (isTooMuch(bytes)) request.destroy()
  })
  request.on('error', () => {
    // The client has gone, so the error has no reader.
  })
  request.resume()
}
