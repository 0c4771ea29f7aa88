import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { makePdf } from '../support/make-documents.ts'
import { visitAs } from '../support/open-browser.ts'

describe.skipIf(browserPath === undefined)(`shortcuts and copy buttons (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await startTestApp()
    const files = ['heron', 'lantern', 'lighthouse'].map((name) => ({
      name: `${name}.txt`,
      content: `The keeper of the ${name} wrote this about the coast.`,
    }))
    await app.alice.upload(files, {}, { Prefer: 'wait=60' })
    browser = await launchBrowser()
    return async () => {
      await browser.close()
      await app.close()
    }
  })

  const visit = (path: string, work: (page: Page) => Promise<void>) =>
    visitAs({ app, browser, permissions: ['clipboard-read', 'clipboard-write'] }, path, work)
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')
  const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

  test('j and k move through the results, and o opens one', async () => {
    await visit('/?q=keeper&sort=name', async (page) => {
      await page.keyboard.press('j')
      expect(await focused(page)).toBe('heron.txt')
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      expect(await focused(page)).toBe('lighthouse.txt')
      // There is no next result.
      await page.keyboard.press('j')
      expect(await focused(page)).toBe('lighthouse.txt')
      await page.keyboard.press('k')
      expect(await focused(page)).toBe('lantern.txt')
      await page.keyboard.press('o')
      await page.waitForURL(/\/documents\/doc_/)
      await page.getByRole('heading', { name: 'lantern.txt' }).waitFor()
    })
  })

  test('/ goes to the search field, in which the keys are text, and Esc leaves it', async () => {
    await visit('/?q=keeper', async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('j?k')
      expect(await page.getByLabel('Search for').inputValue()).toBe('j?k')
      expect(await page.getByRole('dialog').count()).toBe(0)
      await page.keyboard.press('Escape')
      expect(await page.getByLabel('Search for').inputValue()).toBe('j?k')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('')
      await page.goto(`${app.url}/projects`)
      await page.keyboard.press('/')
      await page.waitForURL(`${app.url}/`)
    })
  })

  test('a view decides what the other keys press', async () => {
    await visit('/?q=keeper', async (page) => {
      for (const key of ['n', ']', 'p'])
        await page.locator('main').evaluate((main, name) => {
          const link = Object.assign(document.createElement('a'), { href: `#pressed-${name}`, textContent: name })
          link.dataset['shortcut'] = name
          // A view can have several, of which one is visible.
          const hidden = Object.assign(link.cloneNode() as HTMLAnchorElement, { href: '#hidden', hidden: true })
          main.append(hidden, link)
        }, key)
      for (const key of ['n', ']', 'p']) {
        await page.keyboard.press(key)
        await page.waitForURL((url) => decodeURIComponent(url.hash) === `#pressed-${key}`)
      }
      // Nothing belongs to this key.
      await page.keyboard.press('[')
      expect(decodeURIComponent(new URL(page.url()).hash)).toBe('#pressed-p')
    })
  })

  test('n and p move through the hits of a document, [ and ] through its pages', async () => {
    const pages = ['first', 'second', 'third'].map((n) => [
      { text: `The ${n} page speaks of the osprey, and of the osprey again.` },
    ])
    const content = new Uint8Array(await makePdf(pages))
    const { body } = await app.alice.upload([{ name: 'osprey.pdf', content }], {}, { Prefer: 'wait=60' })
    await visit('/?q=osprey', async (page) => {
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.waitForURL(new RegExp(body.documents[0]!.id))
      await page.goto(page.url().replace(/[?#].*/, '?find=osprey&page=1'))
      const hits = page.getByRole('navigation', { name: 'Hits in this document' })
      await hits.getByText('Hit 1 of 6').waitFor()
      await page.keyboard.press('n')
      await hits.getByText('Hit 2 of 6').waitFor()
      await page.keyboard.press('n')
      await hits.getByText('Hit 3 of 6').waitFor()
      await page.keyboard.press('p')
      await hits.getByText('Hit 2 of 6').waitFor()
      const at = () => page.getByRole('img', { name: /^Page \d of 3/ }).getAttribute('aria-label')
      const before = Number(/\d/.exec((await at())!)![0])
      const key = before === 3 ? '[' : ']'
      await page.keyboard.press(key)
      await page.getByRole('img', { name: new RegExp(`^Page ${before + (key === ']' ? 1 : -1)} of 3`) }).waitFor()
    })
  })

  test('keys with a modifier belong to the browser', async () => {
    await visit('/?q=keeper', async (page) => {
      const before = await focused(page)
      await page.keyboard.press('Control+j')
      await page.keyboard.press('Alt+j')
      expect(await focused(page)).toBe(before)
    })
  })

  test('the help can turn the shortcuts off and on, with the keyboard alone', async () => {
    await visit('/?q=keeper', async (page) => {
      await page.keyboard.press('?')
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await help.waitFor()
      await page.getByLabel('Use these shortcuts').press('Space')
      await page.keyboard.press('Escape')
      expect(await help.isVisible()).toBe(false)
      await page.reload()
      await page.keyboard.press('j')
      await page.keyboard.press('?')
      expect(await page.evaluate(() => document.activeElement?.matches('[data-item]') ?? false)).toBe(false)
      expect(await help.isVisible()).toBe(false)
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).press('Enter')
      await page.getByLabel('Use these shortcuts').press('Space')
      await page.keyboard.press('Escape')
      await page.keyboard.press('j')
      expect(await page.evaluate(() => document.activeElement?.matches('[data-item]') ?? false)).toBe(true)
    })
  })

  test('a button copies the command of a search, and says so', async () => {
    await visit('/?q=keeper', async (page) => {
      await page.getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('status').getByText('Copied').waitFor()
      expect(await copied(page)).toBe('docsearch search keeper --group')
    })
  })

  test('c copies too', async () => {
    await visit('/?q=coast', async (page) => {
      await page.keyboard.press('c')
      await page.getByRole('status').getByText('Copied').waitFor()
      expect(await copied(page)).toBe('docsearch search coast --group')
    })
  })

  test('a button copies a new key, also where the browser has no clipboard for pages', async () => {
    for (const isInsecure of [false, true]) {
      await visit('/settings/api-keys/new', async (page) => {
        if (isInsecure)
          await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true }))
        await page.getByLabel('Name', { exact: true }).fill('laptop')
        await page.getByRole('button', { name: 'Create key' }).click()
        const key = await page.getByLabel('API key', { exact: true }).inputValue()
        await page.getByRole('button', { name: 'Copy' }).click()
        await page.getByRole('status').getByText('Copied').waitFor()
        await page.goto(app.url)
        // Pasting works without the permission that reading needs.
        await page.getByLabel('Search for').press('Control+v')
        expect(await page.getByLabel('Search for').inputValue()).toBe(key)
      })
    }
  })

  test('without scripts, there are no buttons that would do nothing', async () => {
    await visitAs({ app, browser, javaScriptEnabled: false }, '/?q=keeper', async (page) => {
      expect(await page.getByRole('button', { name: /Copy|Keyboard/ }).count()).toBe(0)
    })
  })
})
