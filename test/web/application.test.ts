import { networkInterfaces } from 'node:os'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { startSampleApplication, type SampleApplication } from '../support/sample-application.ts'
import { PASSWORD } from '../support/web-client.ts'
import { errorCode } from '../support/codes.ts'

/** Some containers have no IPv6. */
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1')

describe.skipIf(browserPath === undefined)(`an application asks for access (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  const applications: SampleApplication[] = []
  beforeAll(async () => {
    app = await startTestApp()
    const owner = (await app.backend.records.users.owner())!
    await app.backend.accounts.setPassword(owner.id, PASSWORD)
    await app.alice.ready('lease.txt', 'The notice period of the lease is three months.')
    browser = await launchBrowser()
    return async () => {
      await browser.close()
      for (const application of applications) await application.close()
      await app.close()
    }
  })

  async function application(host: 'localhost' | '[::1]', thenTo?: string): Promise<SampleApplication> {
    const started = await startSampleApplication({
      docsearch: app.url,
      host,
      query: 'notice period',
      ...(thenTo === undefined ? {} : { thenTo }),
    })
    applications.push(started)
    const owner = (await app.backend.records.users.owner())!
    const { application, secret } = await app.backend.oauth.applications.create({
      ownerId: owner.id,
      name: 'Lease helper',
      type: 'confidential',
      redirectUris: [started.redirectUri],
    })
    started.register({ id: application.id, secret: secret! })
    return started
  }

  /** Messages of the browser itself. Only these report a violated policy. */
  function complaints(page: Page): string[] {
    const said: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') said.push(message.text())
    })
    return said
  }

  async function withPage(
    javaScriptEnabled: boolean,
    visit: (page: Page, context: BrowserContext) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext({ javaScriptEnabled })
    try {
      await visit(await context.newPage(), context)
    } finally {
      await context.close()
    }
  }

  async function logIn(page: Page): Promise<void> {
    await page.getByLabel('Email').fill('alice@example.org')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in' }).click()
  }

  test.each([['localhost', false], ['localhost', true], ...(hasIpv6 ? ([['[::1]', false]] as const) : [])] as const)(
    'at %s, JavaScript %s: from its link through login and consent to the first search',
    async (host, script) => {
      const its = await application(host)
      await withPage(script, async (page) => {
        const said = complaints(page)
        await page.goto(its.url)
        await page.getByRole('link', { name: 'Connect docsearch' }).click()
        await page.getByText('Log in to connect Lease helper.').waitFor()
        await logIn(page)
        await page.getByRole('heading', { name: 'Allow Lease helper to use your documents?' }).waitFor()
        await page.getByRole('button', { name: 'Allow' }).click()
        await page.getByText('found: The notice period of the lease is three months.').waitFor()

        // The application learns the origin of the instance, but nothing else of the address.
        expect(its.callbacks.map(({ referer }) => referer)).toEqual([`${app.url}/`])
        // The page with the code is in no history.
        await page.goBack()
        await page.getByRole('heading', { name: 'Allow Lease helper to use your documents?' }).waitFor()
        await page.goto(`${app.url}/settings/connections`)
        await page.getByText('Lease helper').first().waitFor()
        expect(said).toEqual([])
      })
    },
  )

  test('a user who is logged in needs one click, and the application learns of a denial', async () => {
    const its = await application('localhost')
    await withPage(false, async (page) => {
      await page.goto(`${app.url}/login`)
      await logIn(page)
      await page.goto(its.url)
      // The browser sends the session cookie from another site, because the cookie is Lax and this is a link.
      await page.getByRole('link', { name: 'Connect docsearch' }).click()
      await page.getByRole('button', { name: 'Deny' }).click()
      await page.getByText('refused: access_denied').waitFor()
    })
  })

  test('a user whose two tabs wait at the login logs in in both', async () => {
    const its = await application('localhost')
    await withPage(false, async (page, context) => {
      await page.goto(its.url)
      await page.getByRole('link', { name: 'Connect docsearch' }).click()
      await page.getByLabel('Email').waitFor()
      const other = await context.newPage()
      await other.goto(`${app.url}/settings/api-keys`)
      await logIn(page)
      await page.getByRole('heading', { name: 'Allow Lease helper to use your documents?' }).waitFor()
      await logIn(other)
      await other.waitForURL(`${app.url}/settings/api-keys`)
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByText('found: The notice period of the lease is three months.').waitFor()
    })
  })

  test('the callback may redirect to another origin', async () => {
    const home = await application('localhost')
    const its = await application('localhost', `${home.url}/welcome`)
    await withPage(false, async (page) => {
      const said = complaints(page)
      await page.goto(its.url)
      await page.getByRole('link', { name: 'Connect docsearch' }).click()
      await logIn(page)
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL(`${home.url}/welcome`)
      expect(its.callbacks.map(({ query }) => query.has('code'))).toEqual([true])
      expect(said).toEqual([])
    })
  })

  test('a login that ends at the application leads there', async () => {
    const its = await application('localhost')
    const { id } = (await app.backend.oauth.applications.list((await app.backend.records.users.owner())!.id))[0]!
    const wrong = new URLSearchParams({ client_id: id, redirect_uri: its.redirectUri, response_type: 'token' })
    await withPage(false, async (page) => {
      const said = complaints(page)
      await page.goto(`${app.url}/login?${new URLSearchParams({ return_to: `/api/oauth/authorize?${wrong}` })}`)
      await logIn(page)
      await page.waitForURL((url) => url.origin === its.url)
      expect(its.callbacks.map(({ query }) => query.get('error'))).toEqual([errorCode('unsupported_response_type')])
      expect(said).toEqual([])
    })
  })

  /** Opens the consent view for an application with this redirect address. `targets` replaces what the policy of the view allows. */
  async function openConsent(page: Page, redirectUri: string, targets?: string): Promise<void> {
    const owner = (await app.backend.records.users.owner())!
    const { application } = await app.backend.oauth.applications.create({
      ownerId: owner.id,
      name: 'Lease helper',
      type: 'confidential',
      redirectUris: [redirectUri],
    })
    await page.goto(`${app.url}/login`)
    await logIn(page)
    await page.getByRole('heading', { name: 'Search' }).first().waitFor()
    if (targets !== undefined)
      await page.route(`${app.url}/api/oauth/authorize?*`, async (route) => {
        const response = await route.fetch()
        const policy = response.headers()['content-security-policy']!.replace(/form-action [^;]*/, `form-action ${targets}`)
        await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': policy } })
      })
    const parameters = new URLSearchParams({ client_id: application.id, redirect_uri: redirectUri, response_type: 'code' })
    await page.goto(`${app.url}/api/oauth/authorize?${parameters}`)
  }

  test.each([
    ['https://lease.example.com/callback', 'net::ERR_NAME_NOT_RESOLVED'],
    // Chromium has handed the address over to the operating system.
    ['com.example.lease:/callback', 'net::ERR_ABORTED'],
  ])('after a consent, the browser opens %s, which a policy without its scheme would stop', async (redirectUri, errorText) => {
    await withPage(false, async (page) => {
      const said = complaints(page)
      await openConsent(page, redirectUri)
      const opened = page.waitForEvent('requestfailed', (request) => request.url().startsWith(`${redirectUri}?code=`))
      await page.getByRole('button', { name: 'Allow' }).click()
      expect((await opened).failure()).toEqual({ errorText })
      expect(said.filter((text) => /content security policy/i.test(text))).toEqual([])
    })
    await withPage(false, async (page) => {
      await openConsent(page, redirectUri, "'self'")
      const complaint = page.waitForEvent('console', (message) => message.text().includes('form-action'))
      await page.getByRole('button', { name: 'Allow' }).click()
      await complaint
    })
  })

  test('a user allows a device through the link, the login and the code', async () => {
    const oauth = (path: string, fields: Record<string, string>) =>
      fetch(`${app.url}/api/oauth/${path}`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'docsearch-cli', ...fields }),
      }).then((response) => response.json() as Promise<Record<string, string>>)
    const device = await oauth('device', {})
    await withPage(false, async (page) => {
      await page.goto(device['verification_uri_complete']!)
      await logIn(page)
      expect(await page.getByLabel('Code').inputValue()).toBe(device['user_code'])
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByRole('heading', { name: 'The device is connected' }).waitFor()
    })
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const token = await oauth('token', { grant_type, device_code: device['device_code']! })
    expect(token['access_token']).toMatch(/^[0-9a-f]{64}$/)
  })
})
