import type { Browser, Page, Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { visitAs } from '../support/open-browser.ts'
import { until } from '../support/until.ts'

describe.skipIf(browserPath === undefined)(`searching while typing (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await startTestApp()
    for (const [name, tags] of [
      ['heron', 'birds'],
      ['lantern', 'light'],
      ['lighthouse', 'light'],
    ] as const)
      await app.alice.ready(`${name}.txt`, `The keeper of the ${name} wrote this about the coast.`, { tags })
    browser = await launchBrowser()
    return async () => {
      await browser.close()
      await app.close()
    }
  })

  const visit = (path: string, work: (page: Page, said: string[]) => Promise<void>) => visitAs({ app, browser }, path, work)
  const results = (page: Page) => page.locator('.result h2').allTextContents()
  const search = (page: Page) => page.getByLabel('Search for')
  const isSearch = (url: URL) => url.pathname === '/' && url.searchParams.has('q')

  test('shows the answer while the user types, and keeps the caret, the address and the title', async () => {
    await visit('/', async (page) => {
      await search(page).pressSequentially('heron keeper')
      await page.locator('.result').first().waitFor()
      await page.waitForURL((url) => url.searchParams.get('q') === 'heron keeper')
      expect((await results(page))[0]).toBe('heron.txt')
      await page.getByRole('status').getByText('3 documents', { exact: true }).waitFor()
      expect(await page.title()).toContain('heron keeper')
      const caret = () => page.evaluate(() => (document.activeElement as HTMLInputElement).selectionStart)
      expect(await caret()).toBe(12)
      for (let n = 0; n < 7; n++) await page.keyboard.press('ArrowLeft')
      await page.keyboard.type(' lantern')
      await page.waitForURL((url) => url.searchParams.get('q') === 'heron lantern keeper')
      expect([await search(page).inputValue(), await caret()]).toEqual(['heron lantern keeper', 13])
      // The address replaced the one before, so Back leaves the search.
      expect(await page.evaluate(() => history.length)).toBe(2)
      await search(page).fill('')
      await page.getByRole('heading', { name: 'Search your documents' }).waitFor()
      expect(new URL(page.url()).search).toBe('')
    })
  })

  test('Back from a result leads to the question and its results', async () => {
    await visit('/', async (page) => {
      await search(page).fill('lantern')
      await page.waitForURL((url) => url.searchParams.get('q') === 'lantern')
      await page.getByRole('link', { name: 'lantern.txt' }).click()
      await page.waitForURL(/\/documents\//)
      await page.goBack()
      await page.waitForURL((url) => url.searchParams.get('q') === 'lantern')
      expect([await search(page).inputValue(), (await results(page))[0]]).toEqual(['lantern', 'lantern.txt'])
      await search(page).fill('heron')
      await page.waitForURL((url) => url.searchParams.get('q') === 'heron')
    })
  })

  test('the answer to an older question is dropped, also when it comes later', async () => {
    await visit('/', async (page) => {
      const held: Route[] = []
      await page.route(isSearch, async (route) => {
        if (new URL(route.request().url()).searchParams.get('q') === 'heron') held.push(route)
        else await route.continue()
      })
      await search(page).fill('heron')
      await until('the first question to be asked', () => held.length === 1)
      await search(page).fill('lantern')
      await page.waitForURL((url) => url.searchParams.get('q') === 'lantern')
      // Fails where the browser has already given up the request.
      await held[0]!.continue().catch(() => {})
      await search(page).fill('lighthouse')
      await page.waitForURL((url) => url.searchParams.get('q') === 'lighthouse')
      expect((await results(page))[0]).toBe('lighthouse.txt')
    })
  })

  test('a limit delays the answer, and the user sees no error', async () => {
    await visit('/', async (page, said) => {
      let refused = 0
      await page.route(isSearch, (route) =>
        refused++ === 0 ? route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, body: 'Too many' }) : route.continue(),
      )
      await search(page).fill('heron')
      await page.locator('.result').first().waitFor()
      expect(refused).toBe(2)
      expect(await page.getByText('Too many').count()).toBe(0)
      // Only the browser's console mentions it.
      expect(said.splice(0)).toEqual([expect.stringContaining('429')])
    })
  })

  test('an unfinished question that is no question yet leaves the results as they are', async () => {
    await visit('/?q=heron', async (page, said) => {
      const answered = page.waitForResponse((response) => isSearch(new URL(response.url())))
      await search(page).fill('-heron')
      const status = (await answered).status()
      await search(page).fill('lantern')
      await page.waitForURL((url) => url.searchParams.get('q') === 'lantern')
      expect([status, (await results(page))[0]]).toEqual([400, 'lantern.txt'])
      said.splice(0)
    })
  })

  test('a filter applies at once, and keeps the focus', async () => {
    await visit('/?q=keeper', async (page) => {
      expect(await results(page)).toHaveLength(3)
      await page.getByText('More filters').click()
      await page.getByLabel('Tags').fill('light')
      await page.keyboard.press('Tab')
      await page.waitForURL((url) => url.searchParams.get('tags') === 'light')
      expect((await results(page)).toSorted()).toEqual(['lantern.txt', 'lighthouse.txt'])
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('path')
      await page.getByLabel('Type').focus()
      await page.getByLabel('Type').selectOption('PDF')
      await page
        .getByText('No passage')
        .or(page.getByRole('heading', { name: /nothing/i }))
        .first()
        .waitFor()
      expect(new URL(page.url()).searchParams.get('type')).toBe('pdf')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('type')
    })
  })

  test('a user who was logged out in the meantime comes back to the question', async () => {
    await visit('/', async (page) => {
      const cookies = await page.context().cookies()
      await page.context().clearCookies()
      await search(page).fill('heron')
      await page.waitForURL(/\/login\?/)
      await page.context().addCookies(cookies)
    })
  })

  test('recent searches are kept in this browser, for this user, until they are cleared', async () => {
    await visit('/', async (page) => {
      await search(page).fill('<b>heron</b>')
      await page.locator('.result').first().waitFor()
      await page.goto(`${app.url}/?q=lantern&project=default`)
      await page.locator('.result h2 a').first().click()
      await page.getByRole('heading', { name: 'lantern.txt' }).waitFor()
      await page.goto(app.url)
      const recent = page.getByRole('region', { name: 'Recent searches' })
      expect((await recent.boundingBox())!.width).toBeGreaterThan(200)
      // The first question was typed, and no result was opened.
      expect(await recent.getByRole('link').allTextContents()).toEqual(['lantern'])
      await recent.getByRole('link').click()
      await page.waitForURL((url) => url.searchParams.get('project') === 'default')
      await page.goto(`${app.url}/?${new URLSearchParams({ q: '<b>heron</b>' })}`)
      await page.goto(app.url)
      expect(await recent.getByRole('link').allTextContents()).toEqual(['<b>heron</b>', 'lantern'])
      await recent.getByRole('button', { name: 'Clear' }).click()
      expect(await recent.isVisible()).toBe(false)
      await page.reload()
      expect(await recent.isVisible()).toBe(false)
      await page.goto(`${app.url}/?q=heron`)
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.waitForURL(/logged-out/)
      expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
    })
  })

  test('the list of recent searches has an end', async () => {
    await visit('/', async (page) => {
      for (let n = 1; n <= 10; n++) await page.goto(`${app.url}/?q=heron+${n}`)
      await page.goto(app.url)
      expect(await page.getByRole('region', { name: 'Recent searches' }).getByRole('link').count()).toBe(8)
    })
  })
})
