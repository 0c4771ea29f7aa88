import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { MAX_JOINED_CHARS } from '../../src/core/text-limits.ts'
import { readHtml } from '../support/read-html.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { loggedIn } from '../support/web-client.ts'

const ANSWER_BYTES = 15_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ limits: { answerBytes: ANSWER_BYTES } })
  // Quotes and characters outside ASCII take more bytes in JSON than they have characters.
  const text = (n: number) => `Heron ${n} says "መልካም ነው". `.repeat(150)
  const body = new FormData()
  for (let n = 0; n < 20; n++) body.append('file', new File([text(n)], `heron-${n}.txt`))
  const { status } = await app.alice.call('POST', '/api/v1/upload', { body, headers: { Prefer: 'wait=120' } })
  expect(status).toBe(200)
})
afterAll(() => app.close())

async function search(more: object): Promise<{ answer: SearchAnswer; bytes: number }> {
  const response = await fetch(`${app.url}/api/v1/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${app.alice.key}` },
    body: JSON.stringify({ query: 'heron', ...more }),
  })
  const text = await response.text()
  expect(response.status).toBe(200)
  return { answer: JSON.parse(text) as SearchAnswer, bytes: Buffer.byteLength(text) }
}

test.each(['chunk', 'document'])('leaves out the last results that do not fit, grouped by %s', async (group_by) => {
  const found: string[] = []
  let pages = 0
  for (let more = true; more; pages++) {
    const { answer, bytes } = await search({ limit: 100, offset: found.length, group_by })
    expect(bytes).toBeLessThanOrEqual(ANSWER_BYTES)
    for (const { text } of answer.results) expect(text.length).toBeLessThanOrEqual(MAX_JOINED_CHARS)
    expect(answer.results.length).toBeGreaterThan(0)
    expect(answer.results[0]!.rank).toBe(found.length + 1)
    found.push(...answer.results.map(({ document, chunk }) => `${document.name} ${chunk.index}`))
    more = answer.truncated
  }
  expect(pages).toBeGreaterThan(1)
  expect(new Set(found).size).toBe(found.length)
  expect(new Set(found.map((name) => name.split(' ')[0])).size).toBe(20)
})

test('the search view says that results are missing, and its next page continues after the last result', async () => {
  const browser = await loggedIn(app, 'alice@example.org')
  const page = await browser.get('/?q=heron')
  expect(page.text).toContain('The results are too long for one page')
  const shown = readHtml(page.html).filter(({ attributes }) => attributes['class'] === 'result').length
  const [, count] = /offset=(\d+)/.exec(page.html)!
  expect([shown > 0, Number(count)]).toEqual([true, shown])
  expect((await browser.get(`/?q=heron&offset=${count}`)).text).toContain(`Results ${Number(count) + 1} to`)
})
