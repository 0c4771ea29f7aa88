import type { IncomingMessage } from 'node:http'

/** The server itself sets no limit, because uploads may take long. A short body that trickles in only holds the connection. */
const MAX_MS = 30_000

/**
 * Reads a body as UTF-8 without decompressing it. Returns null if the body is longer than `maxBytes`. Then read the rest
 * (`drain`), or the client's next request on the connection would get stuck. Closes the connection after `maxMs`, as if the
 * client had hung up.
 */
export async function readText(request: IncomingMessage, maxBytes: number, maxMs = MAX_MS): Promise<string | null> {
  const late = setTimeout(() => request.socket.destroy(), maxMs)
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) return null
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    clearTimeout(late)
  }
}
