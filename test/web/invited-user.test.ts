import type { Browser, BrowserContext } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { startRealDaemon, type RealDaemon } from '../support/daemon.ts'
import { makePdf } from '../support/make-documents.ts'
import { until } from '../support/until.ts'

const PASSWORD = 'correct horse battery'

/** From the invitation to the passage, with nothing but a browser. */
describe.skipIf(browserPath === undefined)(`an invited user (${browserWord})`, () => {
  let daemon: RealDaemon
  let browser: Browser
  let owner: BrowserContext
  let lease: Buffer
  beforeAll(async () => {
    daemon = await startRealDaemon({ env: { DOCSEARCH_EMBEDDER: 'builtin' } })
    browser = await launchBrowser()
    lease = await makePdf([
      [{ heading: 'Lease of the lighthouse' }],
      [{ text: 'The notice period of the lease is three months.' }],
    ])
    owner = await browser.newContext()
    const page = await owner.newPage()
    await page.goto(daemon.setupUrl!)
    await page.getByLabel('Name').fill('Olga')
    await page.getByLabel('Email').fill('olga@example.org')
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByLabel('Repeat password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('No documents yet').waitFor()
    return async () => {
      await browser.close()
      await daemon.dispose()
    }
  })

  /** The owner invites a user in the browser, and gets the link. */
  async function invite(email: string): Promise<string> {
    const page = await owner.newPage()
    await page.goto(`${daemon.url}/settings/users`)
    await page.getByRole('link', { name: 'Invite user' }).click()
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByLabel('One-time link').inputValue()
    await page.close()
    return link
  }

  test.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('opens the link, uploads a PDF and finds the passage on its page, %s', async (_, javaScriptEnabled) => {
    const link = await invite(`ida-${javaScriptEnabled}@example.org`)
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(link)
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByLabel('Repeat password').fill(PASSWORD)
    await page.getByRole('button', { name: /Set password|Create account|Continue/ }).click()
    await page.getByRole('link', { name: 'Upload documents' }).click()
    await page
      .getByLabel('Files', { exact: true })
      .setInputFiles({ name: 'lease.pdf', mimeType: 'application/pdf', buffer: lease })
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    // Without scripts, a reload before the answer would cancel the upload.
    await page.getByRole('heading', { name: javaScriptEnabled ? 'Files of this upload' : 'Your upload' }).waitFor()
    await until('the document is ready', async () => {
      if (!javaScriptEnabled) await page.reload()
      return (await page.getByText('Ready', { exact: true }).count()) > 0
    })
    await page.getByRole('link', { name: 'Search', exact: true }).first().click()
    await page.getByLabel('Search for').fill('how long is the notice period')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'lease.pdf' }).first().click()
    await page.locator('#passage', { hasText: 'three months' }).waitFor()
    expect(await page.getByLabel('Page', { exact: true }).inputValue()).toBe('2')
    expect(await page.locator('.page-image .mark-passage').count()).toBeGreaterThan(0)
    await context.close()
  })
})
