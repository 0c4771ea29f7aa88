import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface HttpClient {
  post(path: string, body: object): Promise<unknown>
  get(path: string): Promise<unknown>
  close(): void
}

/** A client for JSON that keeps its connections. It takes less processor time than `fetch`, and shares its cores with the server it measures. */
export function httpClient(base: string, headers: Record<string, string> = {}): HttpClient {
  const agent = new Agent({ keepAlive: true })
  const call = (method: string, path: string, body?: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const payload = body && JSON.stringify(body)
      const sent = request(base + path, {
        method,
        agent,
        headers: {
          ...headers,
          ...(payload && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
        },
      })
      sent.once('error', reject)
      sent.once('response', (answer) => {
        text(answer).then((content) => {
          if (answer.statusCode === 200) resolve(JSON.parse(content))
          else reject(new Error(`${method} ${path}: ${answer.statusCode} ${content}`))
        }, reject)
      })
      sent.end(payload)
    })
  return {
    post: (path, body) => call('POST', path, body),
    get: (path) => call('GET', path),
    close: () => agent.destroy(),
  }
}
