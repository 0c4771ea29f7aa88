import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { readHtml } from '../support/read-html.ts'
import { loggedIn, type WebClient } from '../support/web-client.ts'

let app: TestApp
let alice: WebClient
let id: string
const RENT = 'The rent is due on the third working day of each month.'
/** 200 pages: every tenth has the sentence, and page 5 has no text. */
const PAGES = Array.from({ length: 200 }, (_, n) =>
  n === 4 ? '' : `Chapter ${n + 1}\n\n${n % 10 === 0 ? RENT : `Nothing but weather report ${n}.`} ${'Filler words. '.repeat(60)}`,
)

beforeAll(async () => {
  app = await startTestApp()
  alice = await loggedIn(app, 'alice@example.org')
  id = await app.alice.ready('lease.txt', PAGES.join('\f'))
})
afterAll(() => app?.close())

interface View {
  html: string
  text: string
  /** The address of each link by its label or text. */
  links: Record<string, string>
  /** The passage that is marked. */
  marked: string
  values: Record<string, string>
}

async function view(address: string): Promise<View> {
  const { html, text, status } = await alice.get(address)
  expect(status).toBe(200)
  const elements = readHtml(html)
  const links = elements.filter(({ tag }) => tag === 'a')
  return {
    html,
    text,
    links: Object.fromEntries(
      links.map(({ attributes, text: name }) => [attributes['aria-label'] ?? name, attributes['href'] ?? '']),
    ),
    marked: elements
      .filter(({ tag, attributes }) => tag === 'mark' && attributes['class'] === 'passage')
      .map(({ text: inner }) => inner)
      .join(''),
    values: Object.fromEntries(
      elements.filter(({ tag }) => tag === 'textarea').map(({ attributes, text: inner }) => [attributes['id'], inner]),
    ),
  }
}

async function firstResult(): Promise<string> {
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'rent due working day' })
  const { pathname, search } = new URL(body.results[0]!.url)
  return `${pathname}${search}&q=rent+due+working+day`
}

describe('the hits of a search', () => {
  test('are counted, and lead from one to the next in the order of the text', async () => {
    let shown = await view(await firstResult())
    const count = Number(/Hit \d+ of (\d+)/.exec(shown.text)?.[1])
    expect(count).toBeGreaterThanOrEqual(20)
    while (shown.links['Previous hit'] !== undefined) shown = await view(shown.links['Previous hit'].replace(/#.*/, ''))
    const seen: string[] = []
    for (;;) {
      seen.push(/Hit (\d+) of/.exec(shown.text)![1]!)
      expect(shown.marked).not.toBe('')
      const next = shown.links['Next hit']
      if (next === undefined) break
      shown = await view(next.replace(/#.*/, ''))
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, i) => `${i + 1}`))
  })

  test('a document without a question has none, and a question without hits says so', async () => {
    expect((await view(`/documents/${id}`)).text).not.toMatch(/\bhits?\b/i)
    expect((await view(`/documents/${id}?q=xyzzyplugh`)).text).toContain('No hits')
    expect((await view(`/documents/${id}?q=-excluded`)).text).toContain('No hits')
  })
})

describe('find in the document', () => {
  test('leads to the first match, counts all, and keeps the search', async () => {
    const shown = await view(`/documents/${id}?find=THIRD%20%20working&q=rent`)
    expect(shown.marked).toBe('third working')
    expect(shown.text).toContain('Hit 1 of 20')
    const next = await view(shown.links['Next hit']!.replace(/#.*/, ''))
    expect(next.text).toContain('Hit 2 of 20')
    expect(next.text).toContain('Page 11 of 200')
    expect(next.links['Next hit']).toContain('q=rent')
  })

  test('shows the page of the address with its first match, and leads on from there', async () => {
    expect((await view(`/documents/${id}?find=third&page=101`)).text).toContain('Hit 11 of 20')
    const without = await view(`/documents/${id}?find=third&page=95`)
    expect(without.text).toMatch(/Page 95 of 200‹20 hits›/)
    expect((await view(without.links['Next hit']!.replace(/#.*/, ''))).text).toContain('Hit 11 of 20')
    const later = readHtml(without.html).find(({ attributes }) => attributes['rel'] === 'next')?.attributes['href']
    expect(later).toContain('find=third')
    expect(without.html).toContain('<input type="hidden" name="find" value="third"/>')
  })

  test('says when nothing matches', async () => {
    const none = await view(`/documents/${id}?find=${encodeURIComponent('a+b(c[d*')}`)
    expect(none.text).toContain('Not found')
    expect(none.html).toContain('<details class="tools" open')
  })

  test('shows at most a thousand matches, and takes what it looks for literally', async () => {
    expect((await view(`/documents/${id}?find=words`)).text).toContain('of 1000+')
    expect((await view(`/documents/${id}?find=${encodeURIComponent('w.rds')}`)).text).toContain('Not found')
    expect((await view(`/documents/${id}?find=${encodeURIComponent('<script>')}`)).html).not.toContain('<script>')
  })
})

test('a passage can be cited, with a link that leads to it, also in Markdown', async () => {
  const shown = await view(await firstResult())
  const { citation = '', 'citation-markdown': markdown = '' } = shown.values
  // A text file has no pages to cite.
  expect(citation).toMatch(/^lease\.txt: "Chapter \d+ The rent is due/)
  const address = citation.split(' ').at(-1)!
  expect(address.startsWith(`${app.url}/documents/${id}?`)).toBe(true)
  expect((await view(address.slice(app.url.length).replace(/#.*/, ''))).marked).toContain('rent')
  expect(markdown).toContain(`[lease.txt](${address})`)
  expect((await view(`/documents/${id}`)).values).toEqual({})
})

test('the strip has all pages in at most sixty cells, with hits and pages without text', async () => {
  const shown = await view(`/documents/${id}?find=third`)
  const cells = Object.keys(shown.links).filter((name) => /^Pages? \d+/.test(name))
  expect(cells).toHaveLength(50)
  expect(cells.slice(0, 3)).toEqual(['Pages 1 to 4, 1 hit', 'Pages 5 to 8, 1 page without text', 'Pages 9 to 12, 1 hit'])
  expect((await view(shown.links[cells[2]!]!.replace(/#.*/, ''))).text).toContain('Hit 2 of 20')
})

test('a page that does not exist is named, with the last one', async () => {
  const { text } = await view(`/documents/${id}?page=99999`)
  expect(text).toContain('This document has no page 99999. Its last page is 200.')
})
