import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { overflowing, violations } from '../support/check-view.ts'
import { visitAs } from '../support/open-browser.ts'

const DOCUMENTS = 10_000
const PAGES = 5_000
/** No view of a long list or text is larger. In characters of HTML. */
const MAX_HTML = 150_000

/** Long lists and long documents in the browser. */
describe.skipIf(browserPath === undefined)(`views of much content (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  let longId: string
  beforeAll(async () => {
    app = await startTestApp()
    browser = await launchBrowser()
    const pages = Array.from({ length: PAGES }, (_, i) => `Page ${i + 1} of the register.${i % 500 === 499 ? ' A bittern.' : ''}`)
    longId = await app.alice.ready('register.txt', pages.join('\f'))
    // Nothing reads the documents of the list, which have no originals.
    await app.backend.ingest.stop(5_000)
    const { records } = app.backend
    const alice = (await records.users.findByEmail('alice@example.org'))!
    const project = await records.projects.create({ ownerId: alice.id, name: 'many', description: '' })
    for (let i = 0; i < DOCUMENTS; i++) {
      const name = `report ${String((i * 7919) % DOCUMENTS).padStart(5, '0')}.txt`
      const file = { name, path: `${i % 100}/${i}/${name}`, mediaType: 'text/plain', sizeBytes: i, sha256: 'a'.repeat(64) }
      await records.documents.register({ ...file, uploaderId: alice.id, projectId: project.id, tags: [] }, 'replace')
    }
    return async () => {
      await browser.close()
      await app.close()
    }
  })

  const LOOKS = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const

  test.each(['newest', 'name', 'size', 'pages', 'status'])('10,000 documents by %s, with the next result page', async (sort) => {
    await visitAs({ app, browser, ...LOOKS }, `/documents?sort=${sort}`, async (page) => {
      const namesOf = () => page.locator('td.name a').allTextContents()
      const first = await namesOf()
      expect(first).toHaveLength(50)
      if (sort === 'name') expect(first[0]).toMatch(/register\.txt|report 00000\.txt/)
      await page.getByRole('link', { name: 'Next' }).click()
      await page.waitForURL(/cursor=/)
      expect(new Set([...first, ...(await namesOf())]).size).toBe(100)
      expect((await page.content()).length).toBeLessThan(MAX_HTML)
      await page.evaluate(axe.source)
      expect([await violations(page), await overflowing(page)]).toEqual([[], []])
    })
  })

  test('a document of 5,000 pages: its end, its hits, and the strip of its pages', async () => {
    await visitAs({ app, browser, ...LOOKS }, `/documents/${longId}?find=bittern`, async (page) => {
      await page.getByText('Hit 1 of 10').waitFor()
      await page.locator('mark', { hasText: 'bittern' }).first().waitFor()
      await page.goto(`${app.url}/documents/${longId}?page=${PAGES}`)
      await page.getByText(`Page ${PAGES} of the register`).waitFor()
      expect((await page.content()).length).toBeLessThan(MAX_HTML)
      await page.evaluate(axe.source)
      expect([await violations(page), await overflowing(page)]).toEqual([[], []])
    })
  })
})
