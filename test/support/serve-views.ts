import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ASSETS } from '../../src/pages/assets.ts'
import { HOSTILE, pageSamples, USUAL } from './page-samples.ts'

const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'"
const usual = pageSamples(USUAL)
const hostile = pageSamples(HOSTILE)

/** The names of all views with usual values, and of all views with hostile ones. */
export const USUAL_VIEWS: readonly string[] = Object.keys(usual)
export const HOSTILE_VIEWS: readonly string[] = Object.keys(hostile)

/** Sends any view as docsearch would: `/usual?page=NAME`, `/hostile?page=NAME`. */
export async function serveViews(): Promise<{ origin: string; close(): void }> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const asset = Object.entries(ASSETS).find(([name]) => pathname === `/assets/${name}`)?.[1]
  if (asset !== undefined) {
    response.writeHead(200, { 'Content-Type': asset.type, 'Cache-Control': 'public, max-age=3600' }).end(asset.body)
    return
  }
  // The content of the frame is not a view of docsearch.
  if (pathname.startsWith('/documents/')) {
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end('The original.')
    return
  }
  const body = (pathname === '/hostile' ? hostile : usual)[searchParams.get('page') ?? '']
  response.writeHead(body === undefined ? 404 : 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': POLICY,
  })
  response.end(body)
}
