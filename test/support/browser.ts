import { existsSync } from 'node:fs'
import { chromium, type Browser, type Page } from 'playwright-core'

const PLACES = [
  process.env['DOCSEARCH_TEST_BROWSER'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The browser can reach only this machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE ::1',
]

/** Path of Chromium; undefined if there is none. Tests use `describe.skipIf(browserPath === undefined)`. */
export const browserPath = PLACES.find((path) => path !== undefined && path !== '' && existsSync(path))

/** Part of a test's name, so that a report says why the test was skipped. */
export const browserWord =
  browserPath === undefined ? 'skipped: no Chromium here, DOCSEARCH_TEST_BROWSER can name one' : browserPath

/**
 * Starts a headless Chromium with a new profile, which is removed when the browser closes. Always close it: `await using browser = await launchBrowser()`,
 * or `return () => browser.close()` in beforeAll. It also ends with this process.
 */
export async function launchBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error(browserWord)
  return await chromium.launch({ executablePath: browserPath, headless: true, chromiumSandbox: false, args: FLAGS })
}

/** Collects the messages of the browser and the errors of scripts on a page, except those that say nothing about the page. */
export function messagesOf(page: Page): string[] {
  const said: string[] = []
  page.on('console', (message) => {
    // A file has no link to an icon, so the browser requests the default one. A test may type before the view focuses its field.
    const isHarmless =
      message.location().url.endsWith('/favicon.ico') || message.text().startsWith('Autofocus processing was blocked')
    if (!isHarmless) said.push(message.text())
  })
  page.on('pageerror', (error) => said.push(`${error}`))
  return said
}
