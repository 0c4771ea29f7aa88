import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/app.ts'
import { browserPath, browserWord, launchBrowser } from '../support/browser.ts'
import { overflowing, violations } from '../support/check-view.ts'
import { makePptx, textShape } from '../support/make-pptx.ts'
import { makeXlsx, sheetRow } from '../support/make-xlsx.ts'
import { visitAs } from '../support/open-browser.ts'

const COLUMNS = ['Quay', 'Keeper', 'Vessel', 'Tonnage', 'Mooring', 'Harbour dues', 'Remarks of the harbour office']
/** A row so far down that the part of the text around it begins within the table. */
const ROW = 901

describe.skipIf(browserPath === undefined)(`tables in a browser (${browserWord})`, () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await startTestApp()
    const rows = Array.from({ length: 1200 }, (_, i) => {
      const keeper = i + 2 === ROW ? 'Wilhelmina the heron' : `Keeper ${i}`
      return sheetRow(i + 2, [`Quay ${i}`, keeper, `Vessel ${i}`, i * 3, 'north', i, `Remark number ${i} of the office`])
    })
    const workbook = makeXlsx([
      { name: 'Berths', data: sheetRow(1, COLUMNS) + rows.join('') },
      { name: 'Dues', state: 'hidden', data: sheetRow(1, ['Item', 'Lantern tax']) + sheetRow(2, ['Heron', 12]) },
    ])
    const slides = makePptx([
      { shapes: textShape('Harbour plan', 'title') },
      {
        shapes: textShape('Secret quay', 'title') + textShape('The otter sleeps here.'),
        isHidden: true,
        notes: 'Speak of badgers.',
      },
    ])
    const csv = `id,name\n${'1,a\n'.repeat(260_000)}`
    await app.alice.upload(
      [
        { name: 'berths.xlsx', content: new Uint8Array(workbook) },
        { name: 'plan.pptx', content: new Uint8Array(slides) },
        { name: 'large.csv', content: csv },
      ],
      {},
      { Prefer: 'wait=60' },
    )
    browser = await launchBrowser()
    return async () => {
      await browser.close()
      await app.close()
    }
  })

  test.each([
    [{ width: 360, height: 740 }, 'dark'],
    [{ width: 1280, height: 800 }, 'light'],
  ] as const)(
    '%j, %s: leads from a result to the row, with its number and the header of its columns',
    async (viewport, scheme) => {
      await visitAs({ app, browser, viewport, colorScheme: scheme, reducedMotion: 'reduce' }, '/?q=Wilhelmina', async (page) => {
        expect(await page.getByText('sheet "Berths", rows').first().textContent()).toMatch(/rows \d+–\d+/)
        await page.getByRole('link', { name: 'berths.xlsx' }).first().click()
        const row = page.getByRole('row', { name: /Wilhelmina/ })
        expect(await row.getByRole('rowheader').textContent()).toBe(String(ROW))
        const heads = await page.getByRole('columnheader').allTextContents()
        expect(heads).toEqual(COLUMNS)
        // The part repeats the header, but not the rows between the header and its first row.
        const table = page.getByRole('group', { name: 'Table in Berths' })
        expect(await table.getByRole('row').nth(1).getByRole('rowheader').textContent()).not.toBe('2')
        expect(await overflowing(page)).toEqual([])
        if (viewport.width < 500) {
          await table.focus()
          await page.keyboard.press('ArrowRight')
          await page.waitForFunction(() => document.activeElement!.scrollLeft > 0)
        }
        await page.evaluate(axe.source)
        expect(await violations(page)).toEqual([])
      })
    },
  )

  test('names the sheets and slides, and marks hidden ones', async () => {
    await visitAs({ app, browser }, '/?q=lantern+tax', async (page) => {
      await page.getByRole('link', { name: 'berths.xlsx' }).first().click()
      await page.locator('#text').getByText('Dues (hidden)').waitFor()
      expect(await page.getByRole('link', { name: 'Sheet 2: Dues (hidden)' }).count()).toBe(1)
      await page.goto(`${app.url}/?q=otter`)
      await page.getByText('slide 2', { exact: true }).first().waitFor()
      await page.getByRole('link', { name: 'plan.pptx' }).first().click()
      await page.locator('#text').getByText('Secret quay (hidden)').waitFor()
      await page.locator('#text').getByText('Speak of badgers.').waitFor()
    })
  })

  test('lists documents with their length in sheets and slides, and says which rows of a large table are missing', async () => {
    await visitAs({ app, browser }, '/documents', async (page) => {
      const lengths = await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.children[4]!.textContent))
      expect(lengths.sort()).toEqual(['', '2 sheets', '2 slides'])
      await page.getByRole('link', { name: 'large.csv' }).click()
      const warning = page.getByText(/more than 500,000 cells, the limit. Rows from row 250001 on/)
      expect(await warning.getByRole('link').count()).toBe(0)
    })
  })
})
