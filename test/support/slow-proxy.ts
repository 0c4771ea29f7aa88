import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const PART_BYTES = 300
const PAUSE_MS = 25

export interface SlowProxy extends AsyncDisposable {
  url: string
}

/** Passes requests on to an instance, and sends HTML so slowly that a browser shows it part by part. */
export async function startSlowProxy(to: string): Promise<SlowProxy> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, 'accept-encoding': 'identity' }
    const passedOn = request(to + incoming.url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      if (answer.headers['content-type']?.includes('text/html') !== true) return answer.pipe(outgoing)
      void dribble(answer, (part) => outgoing.write(part)).then(() => outgoing.end())
    })
    passedOn.on('error', () => outgoing.destroy())
    incoming.pipe(passedOn)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function dribble(answer: AsyncIterable<Buffer>, write: (part: Buffer) => void): Promise<void> {
  for await (const bytes of answer)
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      write(bytes.subarray(at, at + PART_BYTES))
      await sleep(PAUSE_MS)
    }
}
