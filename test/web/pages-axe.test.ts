import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { ASSETS } from '../../src/pages/assets.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { HOSTILE, pageSamples, USUAL } from '../support/page-samples.ts'

const ORIGIN = 'http://pages.test'
const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
const NARROW = { width: 360, height: 740 }
/** Each theme and each width once: no colour depends on the width, and no width on the theme. */
const LOOKS = [
  { colorScheme: 'light', viewport: NARROW },
  { colorScheme: 'dark', viewport: { width: 1200, height: 800 } },
] as const
const usual = pageSamples(USUAL)
const hostile = pageSamples(HOSTILE)

/** A page that shows any sample as the server would, and what the browser complained of. */
async function openPage(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  // Colours that are still on their way from one theme to the other would be measured as they are.
  const context = await browser.newContext({ viewport: NARROW, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.route('**/*', async (route) => {
    const { pathname, searchParams } = new URL(route.request().url())
    const asset = Object.entries(ASSETS).find(([name]) => pathname === `/assets/${name}`)?.[1]
    if (asset !== undefined) return await route.fulfill({ contentType: asset.type, body: asset.body })
    const samples = pathname === '/hostile' ? hostile : usual
    const body = samples[searchParams.get('page') ?? '']
    if (body === undefined) return await route.fulfill({ status: 404 })
    await route.fulfill({ contentType: 'text/html; charset=utf-8', headers: { 'Content-Security-Policy': POLICY }, body })
  })
  return { page, complaints }
}

/** What axe-core holds against the page as it is now. */
async function violations(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] })
    return found.violations.flatMap(({ id, impact, nodes }) =>
      nodes.map(({ target, any }) => `${impact} ${id}: ${target.join(' ')} ${any[0]?.message ?? ''}`),
    )
  })
}

/** What reaches over the right edge, where that makes the page scroll sideways. */
async function overflowing(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const wide = [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > clientWidth)
    return wide.map((element) => `${element.tagName}.${element.className} ${element.getBoundingClientRect().right}`)
  })
}

describe.skipIf(browserPath === undefined)(`the pages in a browser (${browserWord})`, () => {
  let opened: Awaited<ReturnType<typeof openPage>>

  beforeAll(async () => {
    const browser = await launchBrowser()
    opened = await openPage(browser)
    return () => browser.close()
  })

  test.each(Object.keys(usual))('%s: readable by everybody, in both themes and at both widths', async (name) => {
    const { page, complaints } = opened
    complaints.length = 0
    await page.goto(`${ORIGIN}/usual?page=${encodeURIComponent(name)}`)
    await page.evaluate(axe.source)
    for (const { colorScheme, viewport } of LOOKS) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      expect(await violations(page), colorScheme).toEqual([])
      expect(await overflowing(page), `${viewport.width}`).toEqual([])
    }
    expect(complaints).toEqual([])
  })

  test.each(Object.keys(hostile))('%s: keeps its width whatever the names are, and runs nothing', async (name) => {
    const { page, complaints } = opened
    complaints.length = 0
    await page.setViewportSize(NARROW)
    await page.goto(`${ORIGIN}/hostile?page=${encodeURIComponent(name)}`)
    expect(await overflowing(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})
