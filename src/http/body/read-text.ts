import type { IncomingMessage } from 'node:http'

/** The server itself sets no limit, for the sake of uploads; a short body that trickles in is there to hold the connection. */
const MOST_MS = 30_000

/**
 * A body of up to so many bytes as UTF-8, not decompressed. Null when it is longer; Node then throws the rest away, and the answer can be read.
 * After `mostMs` the connection is cut, as if the client had hung up.
 */
export async function readText(request: IncomingMessage, mostBytes: number, mostMs = MOST_MS): Promise<string | null> {
  const late = setTimeout(() => request.socket.destroy(), mostMs)
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > mostBytes) return null
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    clearTimeout(late)
  }
}
