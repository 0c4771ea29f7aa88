import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Another developer's web application, in which visitors search their docsearch. */
export interface SampleApplication {
  /** Its start page, with a link to docsearch. */
  url: string
  redirectUri: string
  /** Sets the credentials after its registration. */
  register(client: { id: string; secret: string }): void
  /** The requests to the redirect address. */
  callbacks: { query: URLSearchParams; referer: string | undefined }[]
  close(): Promise<void>
}

/**
 * Listens on a free port of this host, so its origin differs from docsearch's; as `localhost`, its site differs too. When the browser returns from
 * docsearch, it exchanges the code, searches, and shows the results.
 */
export async function startSampleApplication(options: {
  docsearch: string
  host: 'localhost' | '[::1]'
  query: string
  /** Where its callback redirects to, instead of showing the results. */
  thenTo?: string
}): Promise<SampleApplication> {
  const { docsearch, host, query, thenTo } = options
  const callbacks: SampleApplication['callbacks'] = []
  // With characters that careless building or parsing of an address loses.
  const state = `${randomBytes(16).toString('hex')} a b&é"<>%00#+;'`
  const verifier = randomBytes(32).toString('base64url')
  let client = { id: '', secret: '' }

  const startPage = () => {
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: client.id,
      redirect_uri: application.redirectUri,
      scope: 'read:documents',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    return `<a href="${docsearch}/api/oauth/authorize?${parameters.toString().replaceAll('&', '&amp;')}">Connect docsearch</a>`
  }

  const search = async (sent: URLSearchParams): Promise<string> => {
    if (sent.get('state') !== state) return 'not the state I sent'
    const code = sent.get('code')
    if (code === null) return `refused: ${sent.get('error')}`
    const token = await fetch(`${docsearch}/api/oauth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'authorization_code',
        code,
        redirect_uri: application.redirectUri,
        client_id: client.id,
        client_secret: client.secret,
        code_verifier: verifier,
      }),
    })
    const { access_token } = (await token.json()) as { access_token: string }
    const found = await fetch(`${docsearch}/api/v1/search`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${access_token}` },
      body: JSON.stringify({ query }),
    })
    const { results } = (await found.json()) as { results: { text: string }[] }
    return `found: ${results.map(({ text }) => text).join(' ')}`
  }

  const answer = async (path: string, referer: string | undefined): Promise<string> => {
    const url = new URL(path, application.url)
    if (url.pathname === '/') return startPage()
    if (url.pathname !== '/callback') return ''
    callbacks.push({ query: url.searchParams, referer })
    return `<p>${await search(url.searchParams)}</p>`
  }

  const server = createServer((request, response) => {
    answer(request.url ?? '/', request.headers.referer).then(
      (html) => {
        if (thenTo !== undefined && request.url?.startsWith('/callback') === true)
          response.writeHead(302, { Location: thenTo }).end()
        else response.setHeader('Content-Type', 'text/html; charset=utf-8').end(`<!doctype html><body>${html}`)
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host === '[::1]' ? '::1' : '127.0.0.1', resolve)
  })
  const url = `http://${host}:${(server.address() as AddressInfo).port}`
  const application: SampleApplication = {
    url,
    redirectUri: `${url}/callback`,
    register(registered) {
      client = registered
    },
    callbacks,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return application
}
