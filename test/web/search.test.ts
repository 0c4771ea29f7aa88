import type { Browser, BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser, messagesOf } from '../support/browser.ts'
import { makePdf, type Part } from '../support/make-documents.ts'
import { PASSWORD } from '../support/web-client.ts'

const WIDE = { width: 1200, height: 800 }
const NARROW = { width: 360, height: 740 }

describe.skipIf(browserPath === undefined)(`searching in a browser (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await startTestApp()
    const owner = (await app.backend.records.users.owner())!
    await app.backend.accounts.setPassword(owner.id, PASSWORD)
    const page = (n: number): Part[] =>
      Array.from({ length: 12 }, (_, line) => ({ text: `Clause ${n}.${line} speaks of nothing in particular.` }))
    const pages = [1, 2, 3, 4].map((n) =>
      n === 3 ? [...page(n), { text: 'The heron keeps the lantern of the lighthouse.' }] : page(n),
    )
    const content = new Uint8Array(await makePdf(pages))
    await app.alice.upload([{ name: 'lighthouse.pdf', content }], {}, { Prefer: 'wait=60' })
    browser = await launchBrowser()
    return async () => {
      await browser.close()
      await app.close()
    }
  })

  async function loggedIn(options: Parameters<Browser['newContext']>[0], visit: (page: Page, said: string[]) => Promise<void>) {
    const context: BrowserContext = await browser.newContext(options)
    try {
      const page = await context.newPage()
      const said = messagesOf(page)
      page.on('dialog', (dialog) => said.push(`dialog ${dialog.message()}`))
      await page.goto(`${app.url}/?q=lantren`)
      await page.getByLabel('Email').fill('alice@example.org')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Log in' }).click()
      await visit(page, said)
      expect(said).toEqual([])
    } finally {
      await context.close()
    }
  }

  test.each([
    [NARROW, false],
    [NARROW, true],
    [WIDE, false],
    [WIDE, true],
  ])('%j, JavaScript %s: from a misspelt question to the passage on the screen', async (viewport, javaScriptEnabled) => {
    await loggedIn({ viewport, javaScriptEnabled }, async (page) => {
      await page.getByText('Showing results for lantern').waitFor()
      await page.getByLabel('Search for').fill('who keeps the lantern')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'lighthouse.pdf' }).first().click()
      const passage = page.locator('#passage')
      await passage.waitFor()
      const box = (await page.locator('mark.passage mark', { hasText: 'lantern' }).boundingBox())!
      expect(box.y).toBeGreaterThan(0)
      expect(box.y + box.height).toBeLessThan(viewport.height)
      await page.getByRole('link', { name: /^Results for/ }).click()
      expect(await page.getByLabel('Search for').inputValue()).toBe('who keeps the lantern')
    })
  })

  test.each([
    [NARROW, true],
    [WIDE, false],
  ])(
    '%j, JavaScript %s: shows the page with the passage marked, and leads through the pages',
    async (viewport, javaScriptEnabled) => {
      await loggedIn({ viewport, javaScriptEnabled }, async (page) => {
        await page.getByRole('link', { name: 'lighthouse.pdf' }).first().click()
        await page.locator('#passage').waitFor()
        // A narrow screen shows the text first.
        if (viewport === NARROW) await page.getByRole('link', { name: 'Page image' }).click()
        const picture = page.getByRole('img', { name: 'Page 3 of 4, with the passage marked' })
        await picture.waitFor()
        const whole = (await picture.boundingBox())!
        const word = (await page.locator('rect.mark-word').first().boundingBox())!
        expect(word.x).toBeGreaterThan(whole.x)
        expect(word.y + word.height).toBeLessThan(whole.y + whole.height)
        expect(word.y + word.height).toBeLessThan(viewport.height)
        await page.getByRole('link', { name: 'Next page' }).click()
        await page.getByRole('img', { name: 'Page 4 of 4', exact: true }).waitFor()
        expect(await page.getByRole('link', { name: 'Next page' }).count()).toBe(0)
        await page.getByRole('navigation', { name: 'Thumbnails' }).getByRole('link', { name: 'Page 3' }).click()
        await page.getByRole('link', { name: 'Zoom in' }).click()
        const zoomed = (await page.getByRole('img', { name: /^Page 3 of 4/ }).boundingBox())!
        expect(zoomed.width).toBeGreaterThan(Math.min(whole.width, 699))
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
      })
    },
  )

  test('a file that is both PDF and HTML is only shown as a PDF', async () => {
    const html = '<html><body><script>alert(document.cookie)</script></body></html>'
    const { body } = await app.alice.upload([{ name: 'both.pdf', content: `%PDF-1.4\n${html}` }], {}, { Prefer: 'wait=60' })
    await loggedIn({ viewport: WIDE }, async (page) => {
      const response = await page.goto(`${app.url}/documents/${body.documents[0]!.id}/original`)
      expect(response!.headers()['content-type']).toBe('application/pdf')
      expect(await page.evaluate(() => document.contentType)).toBe('application/pdf')
      expect(await page.locator('script').count()).toBe(0)
    })
  })
})
