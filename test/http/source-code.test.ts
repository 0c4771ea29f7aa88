import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { readHtml } from '../support/read-html.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

const SOURCE = `import { tide } from './tide.js'


/** Lights the lantern of the harbour. */
export function lightLantern(keeperOfTheGate) {
  const before_dusk = tide() // the <b>ebb</b> begins
  return before_dusk
}
`

let app: TestApp
let alice: WebClient
let id: string
beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
  id = await app.alice.ready('lantern.js', SOURCE)
  await app.alice.ready('lantern.txt', 'A lantern of the market.\n')
})
afterAll(() => app?.close())

const find = async (query: string) => {
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query, mode: 'keyword' })
  return body.results
}

test.each([
  'lightLantern',
  'light lantern harbour',
  'before_dusk',
  'dusk ebb',
  'keeperOfTheGate',
  'type:code lantern',
  'type:js lantern',
])('%s finds the function with its lines', async (query) => {
  const [result] = await find(query)
  expect(result).toMatchObject({ document: { id, media_type: 'text/x-source' }, location: 'lines 1–8' })
  expect(result!.chunk.heading).toBe('function lightLantern')
})

test('highlights mark the words and their parts', async () => {
  const [{ text, highlights } = { text: '', highlights: [] }] = await find('lantern dusk type:js')
  expect(highlights.map(([start, end]) => text.slice(start, end))).toEqual(['lantern', 'Lantern', 'dusk', 'dusk'])
})

test('the view shows the lines of the file with their numbers, and marks those of the passage', async () => {
  const [result] = await find('ebb')
  const url = new URL(result!.url)
  const { html } = await alice.get(url.pathname + url.search)
  const elements = readHtml(html)
  const lines = elements.filter(({ attributes }) => /^line\b/.test(attributes['class'] ?? ''))
  expect(lines.map(({ attributes }) => attributes['id'])).toEqual(Array.from({ length: 8 }, (_, i) => `L${i + 1}`))
  expect(
    lines.filter(({ attributes }) => attributes['class'] === 'line hit').map(({ attributes }) => attributes['id']),
  ).toContain('L6')
  expect(html).toContain('the &lt;b>')
  expect(html).toContain('href="#L5"')
})

test('the original is served as plain text, which no browser runs', async () => {
  const answers = [
    await alice.get(`/documents/${id}/original`),
    await alice.get(`/documents/${id}/original?download=1`),
    await app.alice.get<string>(`/api/v1/documents/${id}/content`),
  ]
  for (const { headers } of answers) {
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'")
  }
})
