import { once } from 'node:events'
import { createServer, request as requestHttp } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One call that computes: its path, its texts with all their characters, and its time from the request to the end of the answer. */
export interface ProxiedCall {
  path: string
  texts: number
  chars: number
  ms: number
  status: number
}

export interface RecordingProxy {
  url: string
  calls: ProxiedCall[]
  close(): Promise<void>
}

/** Starts a proxy on port 0 in front of an Ollama. It records how long embedding and generating take. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const calls: ProxiedCall[] = []
  const server = createServer((request, response) => {
    const began = performance.now()
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts)
      const { method, headers, url = '/' } = request
      const forwarded = requestHttp(
        new URL(url, target),
        { method, headers: { ...headers, host: new URL(target).host } },
        (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          answer.pipe(response)
          answer.on('end', () => {
            if (!/embed|generate/.test(url)) return
            const { input = '' } = JSON.parse(body.toString()) as { input?: string | string[] }
            const texts = [input].flat()
            calls.push({
              path: url,
              texts: texts.length,
              chars: texts.join('').length,
              ms: performance.now() - began,
              status: answer.statusCode!,
            })
          })
        },
      )
      forwarded.on('error', () => response.destroy())
      response.on('close', () => forwarded.destroy())
      forwarded.end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
