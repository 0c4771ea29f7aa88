import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { rest } from '../support/rest.ts'

describe.skipIf(browserPath === undefined)(`the first owner (${browserWord})`, () => {
  let daemon: RealDaemon
  let browser: Browser
  beforeAll(async () => {
    daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
    browser = await launchBrowser()
    return async () => {
      await browser.close()
      await daemon.dispose()
    }
  })

  test('the first owner opens the link of serve, sets a password, creates an API key and searches with it', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    const sent: { method: string; referer: string | undefined; origin: string | undefined }[] = []
    const seen: Promise<unknown>[] = []
    page.on('request', (request) => {
      const method = request.method()
      seen.push(
        request.allHeaders().then(
          ({ referer, origin }) => sent.push({ method, referer, origin }),
          () => undefined,
        ),
      )
    })

    await page.goto(daemon.setupUrl!)
    await page.getByLabel('Name').fill('Olga')
    await page.getByLabel('Email').fill('olga@example.org')
    await page.getByLabel('New password').fill('correct horse battery')
    await page.getByLabel('Repeat password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('No documents yet').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()

    await page.getByRole('link', { name: 'API Keys' }).click()
    await page.getByRole('link', { name: 'New API key' }).click()
    await page.getByLabel('Name', { exact: true }).fill('First program')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.getByLabel('API key').inputValue()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByText(`dsk_…${key.slice(-4)}`).waitFor()
    expect(await page.content()).not.toContain(key)

    const program = rest(daemon.url, key)
    await program.upload([{ name: 'lease.txt', content: 'The notice period of the lease is three months.' }], { wait: true })
    const { results } = await program.search('notice period')
    expect(results.map(({ document }) => document.name)).toEqual(['lease.txt'])

    await page.getByRole('link', { name: 'Search', exact: true }).click()
    await page.getByLabel('Search for').fill('notice period')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'lease.txt' }).click()
    await page.locator('#passage', { hasText: 'three months' }).waitFor()

    // The browser sent the origin with the forms, but the token of the link in no header.
    await Promise.all(seen)
    const token = new URL(daemon.setupUrl!).searchParams.get('token')!
    const { origin } = new URL(daemon.url)
    expect(sent.filter(({ method }) => method === 'POST').map(({ origin }) => origin)).toEqual([origin, origin])
    expect(sent.filter(({ referer }) => referer !== undefined && referer !== `${origin}/`)).toEqual([])
    const log = daemon
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    expect(log.length).toBeGreaterThan(0)
    expect(log.filter((line) => line.includes(token))).toEqual([])

    await page.goto(daemon.setupUrl!)
    await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor()
    await context.close()
  })
})
