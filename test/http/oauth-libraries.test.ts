import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { AuthorizationCode, type ModuleOptions } from 'simple-oauth2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow, REDIRECT_URI, type OAuthFlow } from '../support/oauth-flow.ts'
import { testClock } from '../support/test-clock.ts'
import { errorCode } from '../support/codes.ts'

const clock = testClock()
let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ clock })
})
afterAll(() => app?.close())

/** Plays the user: opens the address that the library made and agrees. Returns the address that the browser comes back to. */
async function browse(address: string, flow: OAuthFlow): Promise<URL> {
  const { origin, pathname, searchParams } = new URL(address)
  expect(`${origin}${pathname}`).toBe(`${app.url}/api/oauth/authorize`)
  const { authorize } = app.backend.oauth
  const outcome = await authorize.begin(Object.fromEntries(searchParams), { userId: flow.user.id })
  if (outcome.kind !== 'ask') throw new Error(JSON.stringify(outcome))
  return new URL((await authorize.approve(outcome.request, flow.user)).location)
}

describe('oauth4webapi, which is strict about the standards', () => {
  // The test instance has no TLS.
  const insecure = { [oauth.allowInsecureRequests]: true }

  async function discover() {
    const response = await oauth.discoveryRequest(new URL(app.url), { ...insecure, algorithm: 'oauth2' })
    return oauth.processDiscoveryResponse(new URL(app.url), response)
  }

  const authentications: [string, (flow: OAuthFlow) => oauth.ClientAuth, 'confidential' | 'public'][] = [
    ['Basic', (flow) => oauth.ClientSecretBasic(flow.secret ?? ''), 'confidential'],
    ['a secret in the body', (flow) => oauth.ClientSecretPost(flow.secret ?? ''), 'confidential'],
    ['no secret', () => oauth.None(), 'public'],
  ]

  test.each(authentications)('goes from discovery to revocation with %s', async (_case, authentication, type) => {
    const server = await discover()
    const flow = await oauthFlow(app, { type })
    const client: oauth.Client = { client_id: flow.application.id }
    const auth = authentication(flow)

    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const address = new URL(server.authorization_endpoint!)
    address.search = String(
      new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: REDIRECT_URI,
        response_type: 'code',
        scope: 'read:documents',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        resource: app.url,
        state,
      }),
    )
    const back = await browse(address.href, flow)
    // Checks `state`, and also `iss`, because the metadata promises it.
    const parameters = oauth.validateAuthResponse(server, client, back, state)
    const exchanged = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      parameters,
      REDIRECT_URI,
      verifier,
      insecure,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'read:documents' })

    const api = await oauth.protectedResourceRequest(
      tokens.access_token,
      'GET',
      new URL(`${app.url}/api/v1/me`),
      new Headers(),
      null,
      insecure,
    )
    expect(await api.json()).toMatchObject({ user: { name: 'Alice' } })

    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token!, insecure),
    )
    const introspect = async (token: string) =>
      oauth.processIntrospectionResponse(server, client, await oauth.introspectionRequest(server, client, auth, token, insecure))
    expect(await introspect(tokens.access_token)).toEqual({ active: false })
    expect(await introspect(refreshed.access_token)).toMatchObject({ active: true, client_id: client.client_id, iss: app.url })

    await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, refreshed.refresh_token!, insecure))
    expect(await introspect(refreshed.access_token)).toEqual({ active: false })
  })

  test('reads the reason of a refused token request', async () => {
    const server = await discover()
    const flow = await oauthFlow(app)
    const client: oauth.Client = { client_id: flow.application.id }
    const ask = async (auth: oauth.ClientAuth) =>
      oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, auth, 'nonsense', insecure),
      )
    await expect(ask(oauth.ClientSecretPost(flow.secret ?? ''))).rejects.toMatchObject({
      error: errorCode('invalid_grant'),
      status: 400,
    })
    await expect(ask(oauth.ClientSecretPost('wrong'))).rejects.toMatchObject({ error: errorCode('invalid_client'), status: 401 })
    await expect(ask(oauth.ClientSecretBasic('wrong'))).rejects.toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  })

  test('reads the reason of a refused authorization from the redirect', async () => {
    const server = await discover()
    const flow = await oauthFlow(app)
    const { authorize } = app.backend.oauth
    const query = {
      client_id: flow.application.id,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      state: 'abc',
      scope: 'everything',
    }
    const outcome = await authorize.begin(query, { userId: null })
    if (outcome.kind !== 'redirect') throw new Error(outcome.kind)
    expect(() =>
      oauth.validateAuthResponse(server, { client_id: flow.application.id }, new URL(outcome.location), 'abc'),
    ).toThrow(expect.objectContaining({ error: errorCode('invalid_scope') }))
  })

  test('logs a device in as the command line', async () => {
    const server = await discover()
    const client: oauth.Client = { client_id: 'docsearch-cli' }
    const flow = await oauthFlow(app)
    const started = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: 'read:documents' }, insecure)
    const { device_code, user_code } = await oauth.processDeviceAuthorizationResponse(server, client, started)
    const poll = async () =>
      oauth.processDeviceCodeResponse(
        server,
        client,
        await oauth.deviceCodeGrantRequest(server, client, oauth.None(), device_code, insecure),
      )
    await expect(poll()).rejects.toMatchObject({ error: errorCode('authorization_pending') })
    await app.backend.oauth.device.decide(user_code, flow.user, true)
    expect(await poll()).toMatchObject({ scope: 'read:documents', token_type: 'bearer' })
  })

  test('finds the authorization server from the metadata of the API', async () => {
    const response = await oauth.resourceDiscoveryRequest(new URL(app.url), insecure)
    expect(await oauth.processResourceDiscoveryResponse(new URL(app.url), response)).toMatchObject({
      authorization_servers: [app.url],
    })
  })
})

describe('openid-client', () => {
  const authentications: [string, (flow: OAuthFlow) => openid.ClientAuth, 'confidential' | 'public'][] = [
    ['Basic', (flow) => openid.ClientSecretBasic(flow.secret ?? ''), 'confidential'],
    ['a secret in the body', (flow) => openid.ClientSecretPost(flow.secret ?? ''), 'confidential'],
    ['no secret', () => openid.None(), 'public'],
  ]

  test.each(authentications)(
    'goes from the address of the instance to revocation with %s',
    async (_case, authentication, type) => {
      // It takes the redirect address from the address of the browser, without the query.
      const redirectUri = 'https://app.example.com/callback'
      const flow = await oauthFlow(app, { type, redirectUris: [redirectUri] })
      const config = await openid.discovery(new URL(app.url), flow.application.id, undefined, authentication(flow), {
        // The test instance has no TLS.
        execute: [openid.allowInsecureRequests],
      })
      const verifier = openid.randomPKCECodeVerifier()
      const state = openid.randomState()
      const address = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'read:documents',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      })
      const back = await browse(address.href, flow)
      const tokens = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state })
      expect([tokens.scope, tokens.expires_in]).toEqual(['read:documents', 3600])
      const me = await openid.fetchProtectedResource(config, tokens.access_token, new URL(`${app.url}/api/v1/me`), 'GET')
      expect(await me.json()).toMatchObject({ user: { name: 'Alice' } })

      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!)
      expect(await openid.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
      expect(await openid.tokenIntrospection(config, refreshed.access_token)).toMatchObject({ active: true, iss: app.url })
      await openid.tokenRevocation(config, refreshed.refresh_token!)
      expect(await openid.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false })
      await expect(openid.refreshTokenGrant(config, refreshed.refresh_token!)).rejects.toMatchObject({
        error: errorCode('invalid_grant'),
      })
    },
  )
})

describe('simple-oauth2, which can send JSON', () => {
  const ways: ModuleOptions['options'][] = [
    { bodyFormat: 'json', authorizationMethod: 'body' },
    { bodyFormat: 'json', authorizationMethod: 'header' },
    { bodyFormat: 'form', authorizationMethod: 'body' },
    { bodyFormat: 'form', authorizationMethod: 'header' },
    { bodyFormat: 'form', authorizationMethod: 'header', credentialsEncodingMode: 'loose' },
  ]

  test.each(ways)('goes from the address to revocation with %j', async (options) => {
    const flow = await oauthFlow(app)
    const library = new AuthorizationCode({
      client: { id: flow.application.id, secret: flow.secret ?? '' },
      auth: {
        tokenHost: app.url,
        tokenPath: '/api/oauth/token',
        authorizePath: '/api/oauth/authorize',
        revokePath: '/api/oauth/revoke',
      },
      ...(options && { options }),
    })
    const state = 'a b&é"<>%00#+'
    const address = library.authorizeURL({ redirect_uri: REDIRECT_URI, scope: ['read:documents', 'write:documents'], state })
    const { searchParams } = await browse(address, flow)
    expect(searchParams.get('state')).toBe(state)
    const first = await library.getToken({ code: searchParams.get('code') ?? '', redirect_uri: REDIRECT_URI })
    expect((await flow.api(String(first.token['access_token']))).status).toBe(200)
    const second = await first.refresh()
    expect((await flow.api(String(first.token['access_token']))).status).toBe(401)
    expect((await flow.api(String(second.token['access_token']))).status).toBe(200)
    await second.revoke('refresh_token')
    expect((await flow.api(String(second.token['access_token']))).status).toBe(401)
  })
})
