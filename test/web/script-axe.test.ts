import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { layoutShift, overflowing, violations } from '../support/check-view.ts'
import { visitAs } from '../support/open-browser.ts'
import { startSlowProxy } from '../support/slow-proxy.ts'

const WIDTHS = [360, 768, 1280, 1920]
/**
 * A browser that has half of a table or of a row of links moves their parts when the rest arrives: by .035 at most, measured with parts of 100 to
 * 1,200 bytes. Chrome calls .1 good.
 */
const BARELY_VISIBLE = 0.05
const SCHEMES = ['light', 'dark'] as const

/** States of views that only the script can bring about. */
describe.skipIf(browserPath === undefined)(`views with the script (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  let files: string
  beforeAll(async () => {
    app = await startTestApp({ limits: { fileBytes: 100_000 } })
    browser = await launchBrowser()
    files = await mkdtemp(join(tmpdir(), 'docsearch-script-axe-'))
    await mkdir(join(files, 'a folder with a long name and more'), { recursive: true })
    for (const name of ['heron.txt', `${'very-long-name-'.repeat(16)}.txt`])
      await writeFile(join(files, 'a folder with a long name and more', name), `The keeper of ${name}.`)
    await writeFile(join(files, 'a folder with a long name and more', 'program.exe'), 'MZ\0\0\0\u0001binary')
    await writeFile(join(files, 'a folder with a long name and more', 'damaged.pdf'), '%PDF-1.4\nnot a PDF')
    await app.alice.ready('lantern.txt', 'The keeper of the lantern.')
    return async () => {
      await browser.close()
      await app.close()
      await rm(files, { recursive: true })
    }
  })

  const STATES: Record<string, { path: string; reach(page: Page): Promise<unknown> }> = {
    'the form of an upload': { path: '/upload', reach: (page) => page.getByText('Drop files or folders').waitFor() },
    'files while they are sent': {
      path: '/upload',
      async reach(page) {
        await page.route('**/upload', (route) => (route.request().method() === 'POST' ? undefined : route.continue()))
        await page.getByLabel('Folder').setInputFiles(join(files, 'a folder with a long name and more'))
        await page.getByRole('button', { name: 'Upload', exact: true }).click()
        await page.getByText('Sending').first().waitFor()
      },
    },
    'files that are ready, failed and refused': {
      path: '/upload',
      async reach(page) {
        await page.getByLabel('Folder').setInputFiles(join(files, 'a folder with a long name and more'))
        await page.getByRole('button', { name: 'Upload', exact: true }).click()
        await page.getByText('2 of 4 ready, 2 failed').first().waitFor()
      },
    },
    'the help': {
      path: '/?q=keeper',
      async reach(page) {
        await page.keyboard.press('?')
        await page.getByRole('dialog').waitFor()
      },
    },
    'results after typing': {
      path: '/',
      async reach(page) {
        await page.getByLabel('Search for').fill('lantern')
        await page.locator('.result').first().waitFor()
      },
    },
    'recent searches': {
      path: '/?q=lantern',
      async reach(page) {
        await page.goto(app.url)
        await page.getByRole('heading', { name: 'Recent searches' }).waitFor()
      },
    },
  }

  test.each(['/', '/?q=keeper', '/upload', '/documents', '/projects'])('%s: nothing moves while it loads', async (path) => {
    await visitAs({ app, browser, viewport: { width: 1280, height: 800 } }, '/?q=lantern', async (page) => {
      // The script comes late, when the view is already visible.
      await page.route('**/assets/script.js*', async (route) => {
        await page.waitForFunction(() => performance.getEntriesByType('paint').length > 0)
        await route.continue()
      })
      await page.goto(app.url + path)
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor()
      await page.waitForLoadState('networkidle')
      expect(await page.evaluate(layoutShift)).toBeLessThan(BARELY_VISIBLE)
    })
  })

  test.each(['/?q=keeper', '/documents', '/upload', '/projects', '/settings'])(
    '%s: nothing moves while it arrives in parts',
    async (path) => {
      await using proxy = await startSlowProxy(app.url)
      await visitAs({ app, browser, viewport: { width: 1280, height: 800 } }, '/?q=lantern', async (page) => {
        await page.goto(proxy.url + path)
        await page.waitForLoadState('networkidle')
        expect(await page.evaluate(layoutShift)).toBeLessThan(BARELY_VISIBLE)
      })
    },
  )

  test.each(Object.entries(STATES))('%s: accessible at all widths, light and dark', async (name, { path, reach }) => {
    await visitAs({ app, browser, reducedMotion: 'reduce', viewport: { width: 360, height: 740 } }, path, async (page) => {
      await reach(page)
      await page.evaluate(axe.source)
      for (const width of WIDTHS)
        for (const colorScheme of SCHEMES) {
          await page.setViewportSize({ width, height: 800 })
          await page.emulateMedia({ colorScheme })
          expect(await violations(page), `${width} ${colorScheme}`).toEqual([])
          expect(await overflowing(page), `${width}`).toEqual([])
        }
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    })
  })
})
