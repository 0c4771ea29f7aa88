import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DocsearchError } from '../core/errors.ts'
import { MAX_HEADER_BYTES } from '../http/problems/malformed.ts'

/** Listens, and returns the address to show, with the port that was taken. Throws `port_in_use`, `cannot_listen`. */
export async function listen(handler: RequestListener, host: string, port: number): Promise<{ server: Server; url: string }> {
  const server = createHttpServer(handler)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)))
    server.listen(port, host, resolve)
  })
  const taken = (server.address() as AddressInfo).port
  return { server, url: `http://${shownHost(host)}:${taken}` }
}

export function createHttpServer(handler: RequestListener): Server {
  // An upload may take long. Only its headers must arrive quickly.
  return createServer(
    { requestTimeout: 0, headersTimeout: 30_000, keepAliveTimeout: 10_000, maxHeaderSize: MAX_HEADER_BYTES },
    handler,
  )
}

/** Returns loopback for an address that listens everywhere, because a client can't connect to that. */
function shownHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): DocsearchError {
  const options = { cause: error }
  if (error.code === 'EADDRINUSE') {
    return new DocsearchError(
      'port_in_use',
      `Port ${port} on ${host} is in use, perhaps by another docsearch. Choose another port with --port, or a free one with --port 0.`,
      options,
    )
  }
  if (error.code === 'EACCES')
    return new DocsearchError(
      'cannot_listen',
      `Port ${port} needs more rights than this user has. Choose port 1024 or higher with --port.`,
      options,
    )
  return new DocsearchError(
    'cannot_listen',
    `Cannot listen on ${host}, port ${port}: ${error.message}. Choose another address with --host.`,
    options,
  )
}

/** Closes idle connections at once, lets requests in flight end, and cuts the connections that remain after the grace period. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // Also close connections that become idle from now on, because a client may keep one open without limit.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}
