import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { ASSETS } from '../../src/pages/assets.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { HOSTILE, pageSamples, USUAL } from '../support/page-samples.ts'

const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'"
const NARROW = { width: 360, height: 740 }
/** Each theme and each width once: no colour depends on the width, and no width on the theme. */
const LOOKS = [
  { colorScheme: 'light', viewport: NARROW },
  { colorScheme: 'dark', viewport: { width: 1200, height: 800 } },
] as const
const usual = pageSamples(USUAL)
const hostile = pageSamples(HOSTILE)

/** Any sample as the server would send it: `/usual?page=NAME`, `/hostile?page=NAME`. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const asset = Object.entries(ASSETS).find(([name]) => pathname === `/assets/${name}`)?.[1]
  if (asset !== undefined) {
    response.writeHead(200, { 'Content-Type': asset.type, 'Cache-Control': 'public, max-age=3600' }).end(asset.body)
    return
  }
  // What a frame shows is no page of ours.
  if (pathname.startsWith('/documents/')) {
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end('The original.')
    return
  }
  const body = (pathname === '/hostile' ? hostile : usual)[searchParams.get('page') ?? '']
  response.writeHead(body === undefined ? 404 : 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': POLICY,
  })
  response.end(body)
}

/** A page, and what the browser complains of on it. */
async function openPage(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  // Colours that are still on their way from one theme to the other would be measured as they are.
  const context = await browser.newContext({ viewport: NARROW, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, complaints }
}

/** What axe-core holds against the page as it is now. */
async function violations(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ['violations'],
      preload: false,
    })
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

  let origin: string

  beforeAll(async () => {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const browser = await launchBrowser()
    opened = await openPage(browser)
    return async () => {
      await browser.close()
      server.close()
    }
  })

  test.each(Object.keys(usual))('%s: readable by everybody, in both themes and at both widths', async (name) => {
    const { page, complaints } = opened
    complaints.length = 0
    await page.goto(`${origin}/usual?page=${encodeURIComponent(name)}`)
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
    await page.goto(`${origin}/hostile?page=${encodeURIComponent(name)}`)
    expect(await overflowing(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})
