import type { IncomingMessage } from 'node:http'

/** A body of up to so many bytes as UTF-8, not decompressed. Null when it is longer; Node then throws the rest away, and the answer can be read. */
export async function readText(request: IncomingMessage, mostBytes: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
