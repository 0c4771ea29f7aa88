import type { Browser, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { visitAs } from '../support/open-browser.ts'
import { until } from '../support/until.ts'

const TEXT = 'The lighthouse\n\nThe heron keeps the lantern of the lighthouse.\n\nNothing happens in the reeds.\n'

describe.skipIf(browserPath === undefined)(`forced colours and print (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await startTestApp()
    browser = await launchBrowser()
    await app.alice.ready('lighthouse.txt', TEXT)
    return async () => {
      await browser.close()
      await app.close()
    }
  })

  /** An image of an element once two in a row are equal, so that nothing is still being drawn. */
  async function settledImage(area: Locator): Promise<Buffer> {
    let last = await area.screenshot()
    await until('two equal images in a row', async () => {
      const before = last
      last = await area.screenshot()
      return last.equals(before)
    })
    return last
  }

  /** Whether `area` looks different after `change` has run on an element inside it. */
  async function looksDifferent(area: Locator, changed: Locator, change: (element: Element) => void): Promise<boolean> {
    const before = await settledImage(area)
    await changed.evaluate(change)
    return !before.equals(await settledImage(area))
  }

  const toPlainText = (element: Element) => element.replaceWith(...element.childNodes)
  const toOrdinaryLink = (element: Element) => element.removeAttribute('aria-current')
  const toOrdinaryBlock = (element: Element) => element.classList.remove('hit')

  const openPassage = async (page: Page) => {
    await page.getByRole('link', { name: 'lighthouse.txt' }).first().click()
    await page.locator('#passage').waitFor()
  }

  const SIGNS: Record<
    string,
    { path: string; open?: typeof openPassage; area: string; sign: string; without(e: Element): void }
  > = {
    'a word of the query in a result': { path: '/?q=lantern', area: '.excerpt', sign: '.excerpt mark', without: toPlainText },
    'a word of the query in the passage': {
      path: '/?q=lantern',
      open: openPassage,
      area: '.sheet',
      sign: 'mark.passage mark',
      without: toPlainText,
    },
    'the bar of the passage': {
      path: '/?q=lantern',
      open: openPassage,
      area: '.sheet',
      sign: '.block.hit:has(mark mark)',
      without: toOrdinaryBlock,
    },
    'the current view in the navigation': {
      path: '/documents',
      area: '.bar nav',
      sign: '.bar nav [aria-current]',
      without: toOrdinaryLink,
    },
    'the current tab': { path: '/documents', area: '.tabs', sign: '.tabs [aria-current]', without: toOrdinaryLink },
    'the current part of the settings': {
      path: '/settings',
      area: '.settings nav',
      sign: '.settings nav [aria-current]',
      without: toOrdinaryLink,
    },
  }

  describe.each(['light', 'dark'] as const)('%s forced colours', (colorScheme) => {
    test.each(Object.keys(SIGNS))('%s is visible', async (name) => {
      const { path, open, area, sign, without } = SIGNS[name]!
      const looks = {
        forcedColors: 'active',
        colorScheme,
        reducedMotion: 'reduce',
        viewport: { width: 1280, height: 800 },
      } as const
      await visitAs({ app, browser, ...looks }, path, async (page) => {
        await open?.(page)
        expect(await looksDifferent(page.locator(area).first(), page.locator(sign).first(), without)).toBe(true)
      })
    })
  })

  test('paper shows the passage and its words, in dark mode too, without the controls', async () => {
    await visitAs({ app, browser, colorScheme: 'dark', viewport: { width: 794, height: 1123 } }, '/?q=lantern', async (page) => {
      await page.emulateMedia({ media: 'print' })
      const isVisible = async (...selectors: string[]) =>
        Promise.all(selectors.map((selector) => page.locator(selector).first().isVisible()))
      const styleOf = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => {
            const { backgroundColor, textDecorationLine, colorScheme } = getComputedStyle(element)
            return { backgroundColor, textDecorationLine, colorScheme }
          })
      expect(await isVisible('.search', '.bar', '.order', '.result')).toEqual([false, false, false, true])
      expect(await page.getByRole('heading', { level: 1 }).boundingBox()).toMatchObject({
        height: expect.toSatisfy((h) => h > 10),
      })
      expect(await styleOf('.excerpt mark')).toMatchObject({ textDecorationLine: 'underline' })

      await page.emulateMedia({ media: 'screen' })
      await openPassage(page)
      await page.emulateMedia({ media: 'print' })
      expect(await isVisible('.bar', '.document .buttons', '#passage', 'h1')).toEqual([false, false, true, true])
      expect(await styleOf('mark.passage mark')).toMatchObject({ textDecorationLine: 'underline', colorScheme: 'light' })
      expect(await styleOf('body')).toMatchObject({ backgroundColor: 'rgba(0, 0, 0, 0)' })
    })
  })
})
