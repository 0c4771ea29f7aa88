import { expect, test } from 'vitest'
import type { Line, PageSource } from '../../../../src/parse/pdf/line.ts'
import { inReadingOrder } from '../../../../src/parse/pdf/reading-order.ts'
import { findRunning } from '../../../../src/parse/pdf/running.ts'

const line = (text: string, x: number, y: number, width = text.length * 5): Line => ({
  text,
  x,
  right: x + width,
  y,
  endY: y,
  size: 10,
  bold: false,
  angle: 0,
})
const body = (page: number): Line[] =>
  Array.from({ length: 10 }, (_, i) => line(`Sentence ${'abcdefghij'[i]} of page ${'xyzuvw'[page]}.`, 72, 100 + 14 * i))

/** Makes pages from their numbers (from 0) and returns the running lines of the last one. */
function running(count: number, make: (page: number) => Line[]) {
  const pages = new Map<number, PageSource>(
    Array.from({ length: count }, (_, i) => [i, { lines: make(i), notes: [], outline: [] }]),
  )
  const { header, footer } = findRunning(count - 1, pages.get(count - 1)!, pages, count)
  return { header: header.map(({ text }) => text), footer: footer.map(({ text }) => text) }
}

test('recognizes running lines by their place on other pages, with numbers that count the pages', () => {
  const make = (page: number) => [line('Annual report', 72, 40), ...body(page), line(`Page ${page + 7} of 90`, 280, 800)]
  expect(running(4, make)).toEqual({ header: ['Annual report'], footer: ['Page 10 of 90'] })
  expect(running(4, (page) => [...body(page), line(['v', 'vi', 'vii', 'viii'][page]!, 280, 800)]).footer).toEqual(['viii'])
})

test('recognizes headers that alternate between left and right pages', () => {
  const make = (page: number) => [line(page % 2 === 0 ? 'The harbour' : 'Chapter two', 72, 40), ...body(page)]
  expect(running(5, make).header).toEqual(['The harbour'])
})

test('does not take other figures, or text close to the body, for running lines', () => {
  expect(running(4, (page) => [...body(page), line(`Sum ${page * page * 31}`, 72, 800)]).footer).toEqual([])
  expect(running(4, (page) => [line('Month Rent', 72, 87), ...body(page)]).header).toEqual([])
})

test('keeps the text of pages that are all alike', () => {
  expect(running(4, () => body(0))).toEqual({ header: [], footer: [] })
})

test('recognizes running lines on two pages only by a page number', () => {
  expect(running(2, (page) => [line('Letter', 72, 40), ...body(page), line(`- ${page + 1} -`, 280, 800)])).toEqual({
    header: [],
    footer: ['- 2 -'],
  })
})

const texts = (lines: Line[]): string[] => inReadingOrder(lines).map(({ text }) => text)

test('reads from top to bottom, whatever the order in the file', () => {
  expect(texts([line('second', 72, 120), line('third', 72, 134), line('first', 72, 100)])).toEqual(['first', 'second', 'third'])
})

test('reads a title over two columns first, then the left column, then the right one', () => {
  const column = (name: string, x: number) => [0, 1, 2, 3].map((i) => line(`${name}${i} of a column of words`, x, 100 + 14 * i))
  expect(
    texts([...column('b', 300), ...column('a', 72), line('A title over both of the columns of this page', 72, 60, 400)]),
  ).toEqual([
    'A title over both of the columns of this page',
    ...[0, 1, 2, 3].map((i) => `a${i} of a column of words`),
    ...[0, 1, 2, 3].map((i) => `b${i} of a column of words`),
  ])
})

test('puts a separate column of figures into the rows of its table', () => {
  const rows = [0, 1, 2, 3, 4, 5]
  const dates = rows.map((i) => line(`0${i + 1}/06/2015`, 30, 100 + 13 * i))
  const places = rows.map((i) => line(`Place ${i} closed for good`, 120, 100 + 13 * i))
  expect(texts([...dates, ...places])).toEqual(rows.flatMap((i) => [`0${i + 1}/06/2015`, `Place ${i} closed for good`]))
})

test('keeps the order of lines that are printed over one another', () => {
  const over = [0, 1, 2, 3].map((i) => line(`under ${i} and so on`, 72, 100 + 8 * i))
  const upon = [0, 1, 2, 3].map((i) => line(`upon ${i} and so on`, 72, 104 + 8 * i))
  expect(texts([...over, ...upon])).toEqual([...over, ...upon].map(({ text }) => text))
})
