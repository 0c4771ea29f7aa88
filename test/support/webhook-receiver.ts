import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { until } from './until.ts'

export interface ReceivedMessage {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** A receiver of webhooks on a loopback port. */
export class WebhookReceiver {
  readonly received: ReceivedMessage[] = []
  /** Answers a message. By default with 204. */
  answer: (response: ServerResponse, message: ReceivedMessage) => void = (response) => void response.writeHead(204).end()
  readonly #server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = { path: request.url ?? '', headers: request.headers, body }
      this.received.push(message)
      this.answer(response, message)
    })
  })

  static async start(port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    await new Promise<void>((resolve) => receiver.#server.listen(port, '127.0.0.1', resolve))
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  /** Resolves when this many messages came to a path. */
  async messages(count: number, path = '/hook'): Promise<ReceivedMessage[]> {
    const here = () => this.received.filter((message) => message.path === path)
    await until(`${count} messages at ${path}`, () => here().length >= count)
    return here()
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
