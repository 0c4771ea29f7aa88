import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import passport from 'passport'
import { Strategy } from 'passport-oauth2'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow } from '../support/oauth-flow.ts'
import { PASSWORD, webClient } from '../support/web-client.ts'

const AUTHORIZE = '/api/oauth/authorize'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

interface Visitor {
  access: string
  refresh: string
}

/** What Passport reads from a request. Usually, Express and express-session add it. */
type PassportRequest = IncomingMessage & { query: Record<string, string>; session: object; user?: Visitor }

/** A web application whose visitors log in through docsearch. `/login` sends them there, and `/callback` shows what Passport received. */
async function startWebApplication(): Promise<{ url: string; use(credentials: { id: string; secret: string }): void }> {
  const users = new passport.Passport()
  const sessions = new Map<string, object>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const id = /visitor=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? randomUUID()
    if (!sessions.has(id)) sessions.set(id, {})
    response.setHeader('Set-Cookie', `visitor=${id}; HttpOnly`)
    const visit: PassportRequest = Object.assign(request, {
      query: Object.fromEntries(searchParams),
      session: sessions.get(id)!,
    })
    const authenticate = users.authenticate('docsearch', { session: false }) as (
      request: PassportRequest,
      response: object,
      next: (error?: Error) => void,
    ) => void
    if (pathname !== '/login' && pathname !== '/callback') return void response.writeHead(404).end()
    authenticate(visit, response, (error) => response.end(JSON.stringify({ error: error?.message, ...visit.user })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    use({ id, secret }) {
      const strategy = new Strategy(
        {
          authorizationURL: `${app.url}${AUTHORIZE}`,
          tokenURL: `${app.url}/api/oauth/token`,
          clientID: id,
          clientSecret: secret,
          callbackURL: `${url}/callback`,
          scope: ['read:documents'],
          state: true,
          pkce: true,
        },
        (access: string, refresh: string, _profile: unknown, done: (error: null, visitor: Visitor) => void) =>
          done(null, { access, refresh }),
      )
      users.use('docsearch', strategy)
    },
  }
}

test.each(['confidential', 'public'] as const)('Passport logs a visitor in through a %s application', async (type) => {
  const site = await startWebApplication()
  const flow = await oauthFlow(app, { type, redirectUris: [`${site.url}/callback`] })
  site.use({ id: flow.application.id, secret: flow.secret ?? '' })
  await app.backend.accounts.setPassword(flow.user.id, PASSWORD)

  const visitor = webClient({ url: site.url, baseUrl: site.url })
  const toDocsearch = await visitor.get('/login')
  expect([toDocsearch.status, toDocsearch.location]).toEqual([302, expect.stringContaining(`${app.url}${AUTHORIZE}?`)])
  const browser = webClient(app)
  const login = await browser.follow(await browser.get(toDocsearch.location!))
  const consent = await browser.follow(await browser.logIn('alice@example.org', PASSWORD, login))
  const allowed = await browser.submit(consent, AUTHORIZE, {}, 'Allow')
  const received = await visitor.get(allowed.location!)
  const { access, refresh } = JSON.parse(received.html) as Visitor
  expect((await flow.api(access)).body).toMatchObject({ user: { name: 'Alice' } })
  expect((await flow.refresh(refresh)).status).toBe(200)

  const replayed = await visitor.get(allowed.location!)
  expect([replayed.status, replayed.text]).toEqual([403, 'Forbidden'])
})

test('Passport tells a visitor who denies from a failure', async () => {
  const site = await startWebApplication()
  const flow = await oauthFlow(app, { redirectUris: [`${site.url}/callback`] })
  site.use({ id: flow.application.id, secret: flow.secret ?? '' })
  await app.backend.accounts.setPassword(flow.user.id, PASSWORD)
  const visitor = webClient({ url: site.url, baseUrl: site.url })
  const browser = webClient(app)
  await browser.logIn('alice@example.org', PASSWORD)
  const consent = await browser.get((await visitor.get('/login')).location!)
  const denied = await browser.submit(consent, AUTHORIZE, {}, 'Deny')
  expect((await visitor.get(denied.location!)).status).toBe(401)
})
