/**
 * Measures in Chromium what a reader sees of the results without scrolling: `node bench/results-page.ts FOLDER [SCREENSHOTS]`. The
 * folder has questions.jsonl, and the filings under pdfs/. Build docsearch first.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../test/support/browser.ts'
import { loadFilings } from '../test/quality/filings.ts'
import { ms, percentile } from './measure.ts'
import { startInstance } from '../test/quality/instance.ts'
import { mean } from '../test/quality/metrics.ts'

interface Question {
  question: string
  evidence: { file: string; page: number }[]
}

/** A document whose card is within the window as a whole, with the pages of its passages. */
interface Shown {
  name: string
  pages: [first: number, last: number][]
}

const VIEWPORTS = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
]
const TIMED_ROUNDS = 3
const PASSWORD = 'correct horse battery'

const [folder, screenshots] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: node bench/results-page.ts FOLDER [SCREENSHOTS]')
const questions = readFileSync(join(folder, 'questions.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Question)

const instance = await startInstance()
const browser = await launchBrowser()
try {
  await loadFilings(instance, folder)
  const context = await browser.newContext({ javaScriptEnabled: true })
  const page = await context.newPage()
  await logIn(page)
  for (const viewport of VIEWPORTS) {
    await page.setViewportSize(viewport)
    const counts: number[] = []
    const documents: number[] = []
    const pages: number[] = []
    const weights: number[] = []
    for (const [i, { question, evidence }] of questions.entries()) {
      const response = await page.goto(`${instance.daemon.url}/?${new URLSearchParams({ q: question })}`)
      weights.push(gzipSync(await response!.body()).length)
      const shown = await shownIn(page)
      counts.push(shown.length)
      documents.push(Number(shown.some(({ name }) => evidence.some(({ file }) => file === name))))
      pages.push(Number(shown.some((one) => evidence.some((place) => isPageShown(one, place)))))
      if (screenshots !== undefined && i === 0)
        await page.screenshot({ path: join(screenshots, `results-${viewport.width}.png`) })
    }
    console.log(
      `${viewport.width} × ${viewport.height}: whole cards ${mean(counts).toFixed(1)} (least ${Math.min(...counts)}),` +
        ` right document ${mean(documents).toFixed(3)}, right page ${mean(pages).toFixed(3)},` +
        ` HTML gzipped at most ${(Math.max(...weights) / 1000).toFixed(1)} kB`,
    )
  }
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const { views, searches } = await timeToFirstByte(cookie)
  console.log(
    `first byte of the view ${ms(percentile(views, 0.5))}, of the same search over REST ${ms(percentile(searches, 0.5))}:` +
      ` ${(percentile(views, 0.5) / percentile(searches, 0.5)).toFixed(2)} ×`,
  )
} finally {
  await browser.close()
  await instance.dispose()
}

/** Asks each question for the view and over REST, in turns, and returns the milliseconds until the answer began. */
async function timeToFirstByte(cookie: string): Promise<{ views: number[]; searches: number[] }> {
  const { url } = instance.daemon
  const views: number[] = []
  const searches: number[] = []
  for (let round = 0; round < 1 + TIMED_ROUNDS; round++) {
    for (const { question } of questions) {
      const view = await firstByte(`${url}/?${new URLSearchParams({ q: question })}`, { headers: { Cookie: cookie } })
      const search = await firstByte(`${url}/api/v1/search`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${instance.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          query: question,
          limit: 10,
          group_by: 'document',
          passages: 3,
          facets: ['project', 'folder', 'media_type', 'tag', 'year'],
        }),
      })
      // The first round fills the caches.
      if (round === 0) continue
      views.push(view)
      searches.push(search)
    }
  }
  return { views, searches }
}

async function firstByte(url: string, init: RequestInit): Promise<number> {
  const start = performance.now()
  const answer = await fetch(url, init)
  const took = performance.now() - start
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  await answer.arrayBuffer()
  return took
}

async function logIn(page: Page): Promise<void> {
  await page.goto(instance.daemon.setupUrl!)
  await page.getByLabel('Name').fill('Olga')
  await page.getByLabel('Email').fill('olga@example.org')
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByLabel('Repeat password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByLabel('Search for').waitFor()
}

async function shownIn(page: Page): Promise<Shown[]> {
  const cards = await page.evaluate(() =>
    [...document.querySelectorAll('.result')]
      .filter((card) => card.getBoundingClientRect().bottom <= window.innerHeight)
      .map((card) => ({
        name: card.querySelector('h2')?.textContent ?? '',
        places: [...card.querySelectorAll('.where, .hits a')].map((place) => place.textContent),
      })),
  )
  return cards.map(({ name, places }) => ({
    name,
    pages: places.flatMap((place) => {
      const [, first, last = first] = /pages? (\d+)(?:–(\d+))?/.exec(place) ?? []
      return first === undefined ? [] : [[Number(first), Number(last)] satisfies [number, number]]
    }),
  }))
}

function isPageShown({ name, pages }: Shown, place: Question['evidence'][number]): boolean {
  return place.file === name && pages.some(([first, last]) => place.page >= first && place.page <= last)
}
