import type { IncomingMessage } from 'node:http'

/** A body of up to so many bytes as UTF-8, not decompressed. Null when it is longer; the rest is left to drain.ts. */
export async function readText(request: IncomingMessage, mostBytes: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Not destroyed when the loop ends early: whoever sends too much has to be able to read so.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
