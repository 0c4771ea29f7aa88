import { expect, test } from 'vitest'
import { documentText, type Page } from '../../../src/core/parsed.ts'
import { startOfPage, windowAt, type TextWindow } from '../../../src/pages/document/window.ts'

function page(number: number, paragraphs: readonly string[]): Page {
  const text = paragraphs.join('\n\n')
  let start = 0
  const blocks = paragraphs.map((paragraph) => {
    const block = { kind: 'paragraph' as const, start, end: start + paragraph.length }
    start = block.end + 2
    return block
  })
  return { number, text, blocks }
}

const shown = ({ sheets }: TextWindow) =>
  sheets.flatMap(({ page: { text }, blocks }) => blocks.map(({ start, end }) => text.slice(start, end)))
const numbers = ({ sheets }: TextWindow) => sheets.map((sheet) => sheet.page.number)

/** Every part, by following the links to the next part. */
function walk(pages: readonly Page[]): TextWindow[] {
  const windows = [windowAt(pages, { at: 0 })]
  for (let after = windows[0]!.after; after !== null; after = windows.at(-1)!.after) windows.push(windowAt(pages, { at: after }))
  return windows
}

const words = (letter: string, count: number) => `${letter.repeat(9)} `.repeat(count).trim()
const DOCUMENTS: [string, Page[]][] = [
  ['three short pages', [1, 2, 3].map((n) => page(n, [`First of ${n}`, `Second of ${n}`]))],
  ['300 pages', Array.from({ length: 300 }, (_, n) => page(n + 1, [words('a', 100), words('b', 50)]))],
  ['many pages of a line', Array.from({ length: 500 }, (_, n) => page(n + 1, [`Line ${n + 1}.`]))],
  ['one very long paragraph', [page(1, [words('c', 20_000)])]],
  ['one very long word', [page(1, ['d'.repeat(100_000)])]],
  ['a scan', Array.from({ length: 500 }, (_, n) => page(n + 1, []))],
  ['no pages', []],
]

test.each(DOCUMENTS)('%s: the parts contain the whole text once, and no part is too long', (_name, pages) => {
  const windows = walk(pages)
  expect(windows.flatMap(shown).join(' ').replaceAll(/\s/g, '')).toBe(documentText(pages).replaceAll(/\s/g, ''))
  expect([...new Set(windows.flatMap(numbers))]).toEqual(pages.map(({ number }) => number))
  for (const window of windows) {
    expect(shown(window).join('').length).toBeLessThanOrEqual(24_000)
    expect(window.sheets.length).toBeLessThanOrEqual(40)
  }
})

test.each(DOCUMENTS)('%s: the links to the previous part lead to the beginning', (_name, pages) => {
  let window = walk(pages).at(-1)!
  for (let steps = 0; window.before !== null; steps++) {
    expect(steps).toBeLessThan(1000)
    const before = windowAt(pages, { at: window.before })
    expect(before.sheets[0]!.start).toBeLessThanOrEqual(window.sheets[0]!.start)
    window = before
  }
  expect(numbers(window)[0]).toBe(pages[0]?.number)
})

test.each(DOCUMENTS.slice(0, 5))('%s: the part contains the offset and some text before it', (_name, pages) => {
  const text = documentText(pages)
  for (const share of [0, 0.3, 0.77, 0.999]) {
    const near = text.length * share - ((text.length * share) % 1)
    const window = windowAt(pages, { near })
    const spans = window.sheets.flatMap(({ start, blocks }) => blocks.map((block) => [start + block.start, start + block.end]))
    expect(spans[0]![0]).toBeLessThanOrEqual(near)
    expect(spans.at(-1)![1]! + 3).toBeGreaterThanOrEqual(near)
    if (window.before !== null) expect(near - spans[0]![0]!).toBeGreaterThan(0)
  }
})

test('startOfPage finds a page by its number', () => {
  const pages = DOCUMENTS[1]![1]
  const start = startOfPage(pages, 200)!
  expect(numbers(windowAt(pages, { at: start }))[0]).toBe(200)
  expect(startOfPage(pages, 301)).toBeNull()
})
