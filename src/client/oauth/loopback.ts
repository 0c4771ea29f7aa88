import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DocsearchError } from '../../core/errors.ts'
import { PAGE_HEADERS, renderLoopbackPage } from './loopback-page.ts'
import type { LoopbackPage } from './loopback-page.ts'

export interface Callback {
  parameters: URLSearchParams
  /** Answers the browser, which waits for this page. */
  show(page: LoopbackPage): Promise<void>
}

export interface Loopback {
  redirectUri: string
  /** Resolves with the first GET of the redirect address. */
  callback: Promise<Callback>
  /** Closes the listener and every open connection. */
  close(): void
}

const PATH = '/callback'

/**
 * Listens at the address to which the instance redirects the browser (RFC 8252 section 7.3): on this machine only, on a port that the system
 * chooses. Refuses everything but the first GET of one path, because browsers ask for icons, and other pages may send requests.
 * Throws DocsearchError `loopback_unavailable`.
 */
export async function openLoopback(): Promise<Loopback> {
  const { promise: callback, resolve } = Promise.withResolvers<Callback>()
  let isAnswered = false

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname !== PATH)
      return void send(response, { status: 404, title: 'Not found', text: 'This address is only for logging in.' })
    if (request.method !== 'GET') return refuseMethod(request, response)
    if (isAnswered) {
      return void send(response, {
        status: 410,
        title: 'Already used',
        text: 'The terminal has already received the login. You can close this window.',
      })
    }
    isAnswered = true
    resolve({ parameters: url.searchParams, show: (page) => send(response, page) })
  })
  try {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new DocsearchError(
      'loopback_unavailable',
      `Could not open a port for the browser: ${reason}. Use \`docsearch login --device\`, which needs no port.`,
      { cause: error },
    )
  }
  const { port } = server.address() as AddressInfo
  return {
    redirectUri: `http://127.0.0.1:${port}${PATH}`,
    callback,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function refuseMethod(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.setHeader('Allow', 'GET')
  void send(response, {
    status: 405,
    title: 'Method not allowed',
    text: 'This address only accepts browsers that return from a login.',
  })
}

/** Resolves when the page is sent or the browser has disconnected. */
function send(response: ServerResponse, page: LoopbackPage): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', () => resolve())
    if (response.destroyed) resolve()
    else response.writeHead(page.status, PAGE_HEADERS).end(renderLoopbackPage(page))
  })
}
