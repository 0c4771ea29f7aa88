import { expect, test } from 'vitest'
import { chunkDocument } from '../../../../src/chunk/chunk.ts'
import { parseBytes } from '../../../support/parse-file.ts'

const passagesOf = async (source: string, name = 'a.json') => {
  const { pages, facts } = await parseBytes(source, name)
  const passages = chunkDocument(pages, { maxTokens: 2_000, countTokens: (text) => text.split(/\W+/).length })
  return { passages, facts, text: pages[0]!.text }
}
const long = (word: string) =>
  Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`${word}${i}`, `${word} of the harbour`]))

test('a passage has the path of its key as its heading', async () => {
  const { passages } = await passagesOf(JSON.stringify({ office: { rents: long('rent'), fees: long('fee') }, end: 1 }, null, 2))
  const pathOf = (part: string) => passages.find(({ text }) => text.includes(part))!.headingPath
  expect(pathOf('rent100')).toEqual(['office', 'rents'])
  expect(pathOf('fee100')).toEqual(['office', 'fees'])
})

test('short values do not begin sections', async () => {
  const { passages } = await passagesOf(JSON.stringify({ version: '1', ...long('rent'), office: [1], end: 2 }, null, 2))
  expect(passages.map(({ headingPath }) => headingPath)).toEqual(passages.map(() => []))
})

test('the name of a record in a list is its heading', async () => {
  const { passages } = await passagesOf(
    JSON.stringify(
      [
        { name: 'Alma', ...long('berth') },
        { id: 7, ...long('tide') },
      ],
      null,
      1,
    ),
  )
  expect(passages.find(({ text }) => text.includes('berth149'))!.headingPath).toEqual(['Alma'])
  expect(passages.find(({ text }) => text.includes('tide149'))!.headingPath).toEqual(['7'])
})

test('JSON without line breaks gets some, and then has no line numbers', async () => {
  const { text, facts } = await passagesOf(JSON.stringify({ a: 'x,{}[]"y"'.repeat(40), b: [1, { c: {} }], d: [] }))
  expect(text.split('\n').slice(2)).toEqual(['  "b": [', '    1,', '    {', '      "c": {}', '    }', '  ],', '  "d": []', '}'])
  expect(facts).toMatchObject({ formatted: true })
})

test('every line of JSON Lines is a block, and the lines are those of the file', async () => {
  const { pages, facts } = await parseBytes('{"id":1,"text":"first\\nline"}\n\n{"id":1}\n', 'log.jsonl')
  expect(facts).toMatchObject({ json_lines: true })
  expect(pages[0]!.text.split('\n')).toEqual(['{"id":1,"text":"first line"}', '', '{"id":1}'])
  expect(pages[0]!.blocks).toHaveLength(2)
})

test.each([
  ['a.json', '[1] A note', 'application/json'],
  ['a.txt', '{"a": 1}', 'text/plain'],
  ['notes', '[1] A note', 'text/plain'],
  ['notes', '{ \\emph{a} }', 'text/plain'],
  ['export', ' [\n {"a": 1}]', 'application/json'],
  ['export', '{"a" : 1}', 'application/json'],
])('%s with %j is %s', async (name, source, mediaType) => {
  expect((await parseBytes(source, name)).mediaType).toBe(mediaType)
})

test('a long key is cut to well-formed text', async () => {
  const { pages } = await parseBytes(JSON.stringify({ [`a${'😀'.repeat(100)}`]: long('rent') }, null, 2), 'a.json')
  const titles = pages[0]!.blocks.map(({ section }) => section?.title ?? '')
  expect(titles.some((title) => title.includes('😀'))).toBe(true)
  expect(titles.every((title) => title.isWellFormed())).toBe(true)
})
