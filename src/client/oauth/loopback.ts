import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DocsearchError } from '../../core/errors.ts'
import { PAGE_HEADERS, renderLoopbackPage } from './loopback-page.ts'
import type { LoopbackPage } from './loopback-page.ts'

export interface Callback {
  parameters: URLSearchParams
  /** The browser waits for it. */
  show(page: LoopbackPage): Promise<void>
}

export interface Loopback {
  redirectUri: string
  /** The first GET of the redirect address. */
  callback: Promise<Callback>
  /** At once, whatever is still connected. */
  close(): void
}

const PATH = '/callback'

/**
 * Listens where the instance sends the browser to (RFC 8252 section 7.3): this machine only, a port the system chooses. Everything but the first GET of the one
 * path is turned away: browsers ask for icons, and other pages may try.
 * Throws DocsearchError `loopback_unavailable`.
 */
export async function openLoopback(): Promise<Loopback> {
  const { promise: callback, resolve } = Promise.withResolvers<Callback>()
  let isAnswered = false

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname !== PATH)
      return void send(response, { status: 404, title: 'Nothing here', text: 'This address is for a login only.' })
    if (request.method !== 'GET') return refuseMethod(request, response)
    if (isAnswered) {
      return void send(response, {
        status: 410,
        title: 'Already used',
        text: 'The terminal has had its answer. You can close this window.',
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
      `Cannot listen on this machine for the browser's answer: ${reason}. \`docsearch login --device\` needs no port.`,
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
    title: 'Not like this',
    text: 'This address is for a browser that comes back from a login.',
  })
}

/** Resolves once the page is sent, or the browser has gone. */
function send(response: ServerResponse, page: LoopbackPage): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', () => resolve())
    if (response.destroyed) resolve()
    else response.writeHead(page.status, PAGE_HEADERS).end(renderLoopbackPage(page))
  })
}
