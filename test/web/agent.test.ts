import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { testClock } from '../support/test-clock.ts'
import { PASSWORD } from '../support/web-client.ts'

const ERAS = { 'of 2026': { pin: '2026-07-28' }, 'of 2025': 'legacy' } as const
const STATE = 'the state of this agent'

/** An agent as its user has it: nobody registered it, and it knows nothing but the address of `/mcp`. */
describe.skipIf(browserPath === undefined)(`an agent with the official SDK (${browserWord})`, () => {
  const clock = testClock()
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await startTestApp({ clock })
    browser = await launchBrowser()
    await app.alice.ready('lease.txt', 'The notice period of the lease is three months.')
    const { records, accounts } = app.backend
    const alice = await records.users.findByEmail('alice@example.org')
    await accounts.setPassword(alice!.id, PASSWORD)
    return async () => {
      await browser.close()
      await app.close()
    }
  })

  test.each(Object.entries(ERAS))(
    '%s: from the address through registration, login and consent to a search',
    async (_era, mode) => {
      await using agent = await startAgent()
      const connect = async () => {
        const client = new Client({ name: 'Reading agent', version: '1' }, { versionNegotiation: { mode } })
        const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { authProvider: agent.provider })
        return { client, transport, connected: client.connect(transport) }
      }

      const first = await connect()
      await expect(first.connected).rejects.toThrow(UnauthorizedError)

      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(agent.authorizationUrl())
      await page.getByText('Log in to connect Reading agent.').waitFor()
      await page.getByLabel('Email').fill('alice@example.org')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('heading', { name: 'Allow Reading agent to use your documents?' }).waitFor()
      await page.getByText('registered itself and chose its own name').waitFor()
      await page.getByText(new URL(agent.redirectUrl).host).first().waitFor()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByText('You can go back to the agent.').waitFor()
      await context.close()

      expect(agent.callback().get('state')).toBe(STATE)
      await first.transport.finishAuth(agent.callback())
      const second = await connect()
      await second.connected
      const search = () => second.client.callTool({ name: 'search', arguments: { query: 'notice period' } })
      expect((await search()).structuredContent).toMatchObject({ results: [{ title: 'lease.txt' }] })

      clock.advance(61 * 60 * 1000)
      const before = agent.tokens()?.refresh_token
      expect((await search()).isError, 'after its token has expired, it refreshes').toBeFalsy()
      expect(agent.tokens()?.refresh_token).not.toBe(before)
      await second.client.close()
    },
  )
})

interface Agent extends AsyncDisposable {
  provider: OAuthClientProvider
  redirectUrl: string
  /** Where the agent sends the browser. */
  authorizationUrl(): string
  /** Returns the parameters that the browser brought back. */
  callback(): URLSearchParams
  tokens(): StoredOAuthTokens | undefined
}

/** What an agent keeps for its user, and the loopback address to which the browser returns. */
async function startAgent(): Promise<Agent> {
  let [information, tokens, verifier, address, back, discovered]: [
    StoredOAuthClientInformation?,
    StoredOAuthTokens?,
    string?,
    URL?,
    URLSearchParams?,
    OAuthDiscoveryState?,
  ] = []
  const server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', redirectUrl)
    // The browser also asks for an icon.
    if (pathname === '/callback') back = searchParams
    response.end('You can go back to the agent.')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`
  const known = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the flow has not come this far')
    return value
  }
  return {
    redirectUrl,
    authorizationUrl: () => known(address).href,
    callback: () => known(back),
    tokens: () => tokens,
    provider: {
      redirectUrl,
      clientMetadata: {
        client_name: 'Reading agent',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
      state: () => STATE,
      discoveryState: () => discovered,
      saveDiscoveryState: (saved) => void (discovered = saved),
      clientInformation: () => information,
      saveClientInformation: (saved) => void (information = saved),
      tokens: () => tokens,
      saveTokens: (saved) => void (tokens = saved),
      redirectToAuthorization: (url) => void (address = url),
      saveCodeVerifier: (saved) => void (verifier = saved),
      codeVerifier: () => known(verifier),
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
