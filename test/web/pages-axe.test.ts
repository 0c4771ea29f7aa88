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
/** Each theme and each width once, because colours don't depend on the width and widths don't depend on the theme. */
const LOOKS = [
  { colorScheme: 'light', viewport: NARROW },
  { colorScheme: 'dark', viewport: { width: 1200, height: 800 } },
] as const
const usual = pageSamples(USUAL)
const hostile = pageSamples(HOSTILE)

/** Sends any sample as the server would: `/usual?page=NAME`, `/hostile?page=NAME`. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const asset = Object.entries(ASSETS).find(([name]) => pathname === `/assets/${name}`)?.[1]
  if (asset !== undefined) {
    response.writeHead(200, { 'Content-Type': asset.type, 'Cache-Control': 'public, max-age=3600' }).end(asset.body)
    return
  }
  // Where the view that leaves docsearch leads: the browser stays on the view.
  if (pathname === '/callback') {
    response.writeHead(204).end()
    return
  }
  // The content of the frame is not a view of docsearch.
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

/** Opens a page and collects the browser's messages. */
async function openPage(browser: Browser): Promise<{ page: Page; complaints: string[] }> {
  // Without this, axe-core would measure colours in the middle of a transition between themes.
  const context = await browser.newContext({ viewport: NARROW, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, complaints }
}

/** Returns the violations that axe-core finds on the page. */
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

/** Returns the elements that make the page scroll sideways. */
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

  test.each(Object.keys(usual))('%s: accessible in both themes and at both widths', async (name) => {
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

  test.each(Object.keys(hostile))('%s: hostile names neither change its width nor run scripts', async (name) => {
    const { page, complaints } = opened
    complaints.length = 0
    await page.setViewportSize(NARROW)
    await page.goto(`${origin}/hostile?page=${encodeURIComponent(name)}`)
    expect(await overflowing(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})
