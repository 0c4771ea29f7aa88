import type { Browser, Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { visitAs } from '../support/open-browser.ts'

describe.skipIf(browserPath === undefined)(`live status in a browser (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  /** Lets the worker take documents from the queue. */
  let release = () => {}
  let gate = Promise.resolve()
  beforeAll(async () => {
    app = await startTestApp({ limits: { eventStreams: 2 } })
    const { queue } = app.workerRecords
    const claim = queue.claim.bind(queue)
    queue.claim = async (...given) => {
      await gate
      return claim(...given)
    }
    browser = await launchBrowser()
    return async () => {
      release()
      await browser.close()
      await app.close()
    }
  })
  beforeEach(() => {
    release()
    gate = new Promise((resolve) => (release = resolve))
  })

  const visit = (path: string, work: (page: Page, said: string[]) => Promise<void>) => visitAs({ app, browser }, path, work)

  async function upload(...names: string[]): Promise<string[]> {
    const { body } = await app.alice.upload(names.map((name) => ({ name, content: contentOf(name) })))
    return body.documents.map(({ id }) => id)
  }
  const contentOf = (name: string) => (name.endsWith('.pdf') ? '%PDF-1.4\nnot a PDF' : `The words of ${name}.`)

  test('a document that is being read shows its text when it is ready', async () => {
    const [id] = await upload('heron.txt')
    await visit(`/documents/${id}`, async (page) => {
      await page.getByText('This document is waiting to be read.').waitFor()
      expect(await page.getByText('Reload this view').count()).toBe(0)
      release()
      await page.getByText('The words of heron.txt.').waitFor()
      await page.getByRole('status').getByText('heron.txt: Ready').waitFor()
      expect(await page.getByText('waiting to be read').count()).toBe(0)
    })
  })

  test('a document that fails says why', async () => {
    const [id] = await upload('damaged.pdf')
    await visit(`/documents/${id}`, async (page) => {
      release()
      await page.getByRole('heading', { name: 'This document cannot be searched' }).waitFor()
    })
  })

  test('the list of documents follows, and keeps the selection and the focus', async () => {
    await upload('one.txt', 'two.pdf', 'three.txt')
    await visit('/documents', async (page) => {
      const row = (name: string) => page.getByRole('row').filter({ hasText: name })
      expect(await row('one.txt').textContent()).toContain('Waiting')
      await row('one.txt').getByRole('checkbox').check()
      await row('one.txt').getByRole('link').focus()
      release()
      await row('one.txt').getByText('Ready').waitFor()
      await row('two.pdf').getByText('Failed').waitFor()
      expect(await row('one.txt').getByRole('checkbox').isChecked()).toBe(true)
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('one.txt')
    })
  })

  test('documents leave the list of those in progress when they are done', async () => {
    await upload('first.txt', 'second.txt')
    await visit('/documents?tab=progress', async (page) => {
      await page.getByRole('link', { name: 'first.txt' }).focus()
      release()
      await page.getByRole('heading', { name: 'No documents here' }).waitFor()
    })
  })

  test('the stream closes while the view is hidden, and what was missed is shown afterwards', async () => {
    const [id] = await upload('hidden.txt')
    await visit('/settings', async (page) => {
      const opened = page.waitForRequest((request) => request.url().includes('/events'))
      await page.goto(`${app.url}/documents/${id}`)
      await opened
      const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/events'))
      await setVisibility(page, 'hidden')
      await closed
      release()
      await app.alice.get(`/api/v1/documents/${id}`)
      await setVisibility(page, 'visible')
      await page.getByText('The words of hidden.txt.').waitFor()
    })
  })

  test('without a free stream, the view asks from time to time', async () => {
    const [id] = await upload('crowded.txt')
    const streams = await Promise.all([app.alice.open('/api/v1/events'), app.alice.open('/api/v1/events')])
    await visit(`/documents/${id}`, async (page, said) => {
      release()
      await page.getByText('The words of crowded.txt.').waitFor()
      // Only the browser's console mentions the refusals.
      expect(said.splice(0).every((message) => message.includes('429'))).toBe(true)
    })
    for (const stream of streams) await stream.body?.cancel()
  })

  test('a user who is logged out meanwhile gets to the login, and from there back to the document', async () => {
    const [id] = await upload('away.txt')
    await visit('/settings', async (page) => {
      const opened = page.waitForResponse((response) => response.url().includes('/events'))
      await page.goto(`${app.url}/documents/${id}`)
      await opened
      await page.context().clearCookies()
      release()
      await page.waitForURL((url) => url.pathname === '/login' && url.searchParams.get('return_to') === `/documents/${id}`)
    })
  })

  test('a view in which nothing is in progress opens no stream', async () => {
    release()
    const id = await app.alice.ready('done.txt', 'The words of done.txt.')
    await visit('/', async (page) => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await page.goto(`${app.url}/documents/${id}`)
      await page.getByText('The words of done.txt.').waitFor()
      await page.waitForLoadState('networkidle')
      expect(asked).not.toContain('/events')
    })
  })
})

/** Chromium has no way to hide a view of a test, so the view is told that it is hidden. */
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}
