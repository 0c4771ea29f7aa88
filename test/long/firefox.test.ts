import { existsSync } from 'node:fs'
import axe from 'axe-core'
import puppeteer, { type Page } from 'puppeteer-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { overflowing, violations } from '../support/check-view.ts'
import { HOSTILE_VIEWS, serveViews, USUAL_VIEWS } from '../support/serve-views.ts'

const firefox = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path))
const word = firefox ?? 'skipped: no Firefox here'
const WIDTHS = [360, 768, 1280, 1920]
/** axe-core takes most of the time here. Chromium runs it at every width. */
const AXE_WIDTHS = { light: 360, dark: 1280 }

/** Firefox can't change these features while it runs. */
const preferences = (scheme: 'light' | 'dark') => ({
  'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
  'ui.prefersReducedMotion': 1,
})

describe.skipIf(firefox === undefined).for(['light', 'dark'] as const)(`the views in ${word}, %s`, (scheme) => {
  let page: Page
  let origin: string
  const complaints: string[] = []

  beforeAll(async () => {
    const server = await serveViews()
    origin = server.origin
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: firefox!,
      extraPrefsFirefox: preferences(scheme),
    })
    page = await browser.newPage()
    page.on('console', (message) => complaints.push(message.text()))
    return async () => {
      await browser.close()
      server.close()
    }
  })

  test.each(USUAL_VIEWS)('%s: accessible, and not too wide at any width', async (name) => {
    complaints.length = 0
    await page.goto(`${origin}/usual?page=${encodeURIComponent(name)}`)
    await page.evaluate(axe.source)
    expect(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(scheme === 'dark')
    for (const width of WIDTHS) {
      await page.setViewport({ width, height: 900 })
      if (width === AXE_WIDTHS[scheme]) expect(await violations(page)).toEqual([])
      expect(await overflowing(page), `${width}`).toEqual([])
    }
    expect(complaints).toEqual([])
  })

  test.each(HOSTILE_VIEWS)('%s: hostile names do not change its width', async (name) => {
    await page.setViewport({ width: 360, height: 740 })
    await page.goto(`${origin}/hostile?page=${encodeURIComponent(name)}`)
    expect(await overflowing(page)).toEqual([])
  })
})
