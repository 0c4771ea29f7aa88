import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli, startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { PASSWORD, webClient, type WebClient } from '../support/web-client.ts'

const CALLBACK = 'http://127.0.0.1:49152/callback'

let daemon: RealDaemon
let owner: WebClient
beforeAll(async () => {
  daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
  owner = webClient({ url: daemon.url, baseUrl: daemon.url })
  const { pathname, search } = new URL(daemon.setupUrl!)
  const account = { name: 'Olga', email: 'olga@example.org', password: PASSWORD, password_again: PASSWORD }
  expect((await owner.submit(await owner.get(pathname + search), '/setup', account)).status).toBe(303)
})
afterAll(() => daemon?.dispose())

/** A host of the MCP SDK's client, registered here as a public application. `opened` is the address that it opened in the browser. */
async function host(...scopes: string[]): Promise<OAuthClientProvider & { opened?: URL; saved?: StoredOAuthTokens }> {
  const scopeFlags = scopes.flatMap((scope) => ['--scope', scope])
  const args = ['--json', 'clients', 'create', 'Assistant', '--public', '--redirect-uri', CALLBACK, ...scopeFlags]
  const made = await runCli(args, daemon.env)
  expect(made).toMatchObject({ code: 0 })
  const { client_id } = JSON.parse(made.stdout) as { client_id: string }
  let verifier = ''
  let discovered: OAuthDiscoveryState | undefined
  const provider: Awaited<ReturnType<typeof host>> = {
    redirectUrl: CALLBACK,
    clientMetadata: { redirect_uris: [CALLBACK] },
    clientInformation: () => ({ client_id }),
    tokens: () => provider.saved,
    saveTokens: (tokens) => void (provider.saved = tokens),
    redirectToAuthorization: (address) => void (provider.opened = address),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovered = state),
    discoveryState: () => discovered,
  }
  return provider
}

/** Allows what the client asks for, and gives it the answer. */
async function allow(provider: Awaited<ReturnType<typeof host>>, serverUrl: string): Promise<void> {
  const { pathname, search } = provider.opened!
  const page = await owner.submit(await owner.get(pathname + search), '/api/oauth/authorize', {}, 'Allow')
  const answer = new URL(page.location!).searchParams
  const [authorizationCode, iss] = [answer.get('code')!, answer.get('iss')!]
  expect(await auth(provider, { serverUrl, authorizationCode, iss })).toBe('AUTHORIZED')
}

const search = (token?: string) =>
  fetch(`${daemon.url}/api/v1/search`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
    body: '{"query":"rent"}',
  })

test.each([
  ['the default scopes', [], 'read:documents write:documents'],
  ['one scope', ['read:documents'], 'read:documents'],
])("the MCP SDK's client, registered for %s, gets a token that works, and renews it", async (_what, scopes, granted) => {
  const serverUrl = `${daemon.url}/api/v1`
  const provider = await host(...scopes)
  expect(await auth(provider, { serverUrl })).toBe('REDIRECT')
  await allow(provider, serverUrl)
  const first = provider.saved!
  expect(first.scope).toBe(granted)
  expect((await search(first.access_token)).status).toBe(200)

  expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED')
  expect(provider.saved!.access_token).not.toBe(first.access_token)
  expect((await search(provider.saved!.access_token)).status).toBe(200)
})

test("the MCP SDK's client asks for the scope that a refusal names, and for no other", async () => {
  const serverUrl = `${daemon.url}/api/v1/search`
  const provider = await host()
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(await search())
  expect(resourceMetadataUrl?.href).toBe(`${daemon.url}/.well-known/oauth-protected-resource`)
  const challenge = { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) }
  expect(await auth(provider, { serverUrl, ...challenge })).toBe('REDIRECT')
  await allow(provider, serverUrl)
  expect(provider.saved!.scope).toBe('read:documents')
  expect((await search(provider.saved!.access_token)).status).toBe(200)
})
