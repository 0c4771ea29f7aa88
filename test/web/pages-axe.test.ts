import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserPath, browserWord, launchBrowser, messagesOf } from '../support/browser.ts'
import { overflowing, violations } from '../support/check-view.ts'
import { HOSTILE_VIEWS, serveViews, USUAL_VIEWS } from '../support/serve-views.ts'

const NARROW = { width: 360, height: 740 }
/** Both themes and each width, but not each width in both themes: colours don't depend on the width, nor widths on the theme. */
const LOOKS = [
  { colorScheme: 'light', viewport: NARROW },
  { colorScheme: 'dark', viewport: { width: 768, height: 1024 } },
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 1920, height: 1080 } },
] as const
/** Opens a page and collects the browser's messages. */
async function openPage(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  // Without this, axe-core would measure colours in the middle of a transition between themes.
  const context = await browser.newContext({ viewport: NARROW, reducedMotion: 'reduce' })
  const page = await context.newPage()
  return { page, complaints: messagesOf(page) }
}

describe.skipIf(browserPath === undefined)(`the pages in a browser (${browserWord})`, () => {
  let opened: Awaited<ReturnType<typeof openPage>>

  let origin: string

  beforeAll(async () => {
    const server = await serveViews()
    origin = server.origin
    const browser = await launchBrowser()
    opened = await openPage(browser)
    return async () => {
      await browser.close()
      server.close()
    }
  })

  test.each(USUAL_VIEWS)('%s: accessible in both themes and at every width', async (name) => {
    const { page, complaints } = opened
    complaints.length = 0
    await page.goto(`${origin}/usual?page=${encodeURIComponent(name)}`)
    await page.evaluate(axe.source)
    for (const { colorScheme, viewport } of LOOKS) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      expect(await violations(page), `${colorScheme}, ${viewport.width}`).toEqual([])
      expect(await overflowing(page), `${viewport.width}`).toEqual([])
    }
    expect(complaints).toEqual([])
  })

  test.each(HOSTILE_VIEWS)('%s: hostile names neither change its width nor run scripts', async (name) => {
    const { page, complaints } = opened
    complaints.length = 0
    await page.setViewportSize(NARROW)
    await page.goto(`${origin}/hostile?page=${encodeURIComponent(name)}`)
    expect(await overflowing(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})
