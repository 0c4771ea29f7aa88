import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DocsearchError } from '../../core/errors.ts'
import { createHash } from 'node:crypto'

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

interface LoopbackPage {
  status: number
  /** Plain text, like `text`. */
  title: string
  text: string
}

// The colours of the instance's pages, so that the login looks like one flow.
const STYLE = `
:root { color-scheme: light dark }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  background: light-dark(#f7f8fa, #0e1014); color: light-dark(#16191f, #eceef2) }
main { box-sizing: border-box; width: min(27rem, 100vw - 2rem); padding: 1.75rem 2rem 2rem; background: light-dark(#fff, #16191f);
  border: 1px solid light-dark(#e2e5ea, #2a2f38); border-radius: .75rem }
.name { margin: 0 0 1.25rem; font-weight: 600; color: light-dark(#3d57d1, #9dadff) }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.3; letter-spacing: -.01em }
p { margin: 0; overflow-wrap: anywhere }
.text { color: light-dark(#5a6372, #a0a9b8) }
`
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Keep the code in the address out of caches and of the Referer header. */
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
}

/** The page that the browser shows at the end of a login. Loads nothing from elsewhere. */
function renderLoopbackPage({ title, text }: Pick<LoopbackPage, 'title' | 'text'>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} – docsearch</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="name">docsearch</p>
<h1>${escape(title)}</h1>
<p class="text">${escape(text)}</p>
</main>
</body>
</html>
`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!)
}
