import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** How the next downloads go. */
export interface FakePull {
  /** Size of each layer in bytes. */
  layers?: number[]
  /** Lines for each layer. The first has no `completed`, as in Ollama. */
  steps?: number
  /** Ends with a line that has this error, instead of `success`. */
  error?: string
  /** Sends no more after this many lines, until the other side closes the connection. */
  stopsAfter?: number
}

/** Writes the stream of `/api/pull`. Returns whether the model exists afterwards. */
export async function streamPull(response: ServerResponse, how: FakePull, onHangUp: () => void): Promise<boolean> {
  const { layers = [600_000_000, 20_000], steps = 4, error, stopsAfter = Infinity } = how
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  const lines: object[] = [{ status: 'pulling manifest' }]
  for (const [i, total] of layers.entries()) {
    const digest = `sha256:${String(i).repeat(64)}`
    const status = `pulling ${digest.slice(7, 19)}`
    lines.push({ status, digest, total })
    for (let step = 1; step <= steps; step++) lines.push({ status, digest, total, completed: Math.round((total * step) / steps) })
  }
  lines.push({ status: 'verifying sha256 digest' }, { status: 'writing manifest' })
  lines.push(error === undefined ? { status: 'success' } : { error })
  for (const line of lines.slice(0, stopsAfter)) response.write(`${JSON.stringify(line)}\n`)
  if (lines.length > stopsAfter) {
    await once(response, 'close')
    onHangUp()
    return false
  }
  response.end()
  return error === undefined
}
