import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { errorCode } from '../support/codes.ts'
import { oauthFlow, pkce } from '../support/oauth-flow.ts'

/** What a script on a page sees of an answer; only `blocked` when the browser withholds it. */
type Seen = { status: number; body: Record<string, unknown> } | 'blocked'

describe.skipIf(browserPath === undefined)(`an application that runs in a browser, on its own origin (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    app = await startTestApp()
    // As `localhost`, the page is on another site than docsearch at 127.0.0.1.
    const site = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html>'))
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    browser = await launchBrowser()
    page = await browser.newPage()
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
    return async () => {
      await browser.close()
      site.closeAllConnections()
      site.close()
      await app.close()
    }
  })

  const ask = (path: string, init: { fields?: Record<string, string>; headers?: Record<string, string> } = {}): Promise<Seen> =>
    page.evaluate(
      async ({ url, fields, headers }) => {
        const post = fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }
        try {
          const response = await fetch(url, { ...post, headers: headers ?? {} })
          return { status: response.status, body: (await response.json()) as Record<string, unknown> }
        } catch {
          return 'blocked'
        }
      },
      { url: app.url + path, ...init },
    )

  test('finds the endpoints, exchanges its code, renews and revokes its token', async () => {
    const flow = await oauthFlow(app, { type: 'public', redirectUris: ['http://localhost/callback'] })
    const { verifier, query } = pkce()
    const code = await flow.code(query)
    const client_id = flow.application.id
    // The MCP SDK sends this header with its questions, so the browser asks for permission first.
    const metadata = await ask('/.well-known/oauth-authorization-server', { headers: { 'MCP-Protocol-Version': '2026-07-28' } })
    expect(metadata).toMatchObject({ status: 200, body: { token_endpoint: `${app.url}/api/oauth/token` } })

    const redirect_uri = 'http://localhost/callback'
    const exchange = { grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier: verifier }
    const token = (await ask('/api/oauth/token', { fields: exchange })) as { body: Record<string, string> }
    expect(token).toMatchObject({ status: 200, body: { token_type: 'Bearer' } })
    const refresh = { grant_type: 'refresh_token', refresh_token: token.body['refresh_token']! }
    // Some libraries send the ID of a public application as HTTP Basic with an empty secret.
    const Authorization = `Basic ${btoa(`${client_id}:`)}`
    const renewed = (await ask('/api/oauth/token', { fields: refresh, headers: { Authorization } })) as typeof token
    expect(renewed).toMatchObject({ status: 200 })
    expect(await ask('/api/oauth/token', { fields: { ...exchange, code: 'wrong' } })).toMatchObject({
      status: 400,
      body: { error: errorCode('invalid_grant') },
    })
    const revoked = await ask('/api/oauth/revoke', { fields: { token: renewed.body['access_token']!, client_id } })
    expect(revoked).toEqual({ status: 200, body: {} })
    expect((await flow.api(renewed.body['access_token']!)).status).toBe(401)
  })

  test('cannot read anything else, also with a token', async () => {
    const headers = { Authorization: `Bearer ${app.alice.key!}` }
    expect(await ask('/api/v1/me', { headers })).toBe('blocked')
    expect(await ask('/api/v1/health')).toBe('blocked')
    expect(await ask('/api/oauth/introspect', { fields: { token: 'x', client_id: 'docsearch-cli' } })).toBe('blocked')
  })
})
