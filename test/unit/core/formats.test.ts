import { expect, test } from 'vitest'
import { FORMAT_IDS, FORMATS, formatNames, formatOf } from '../../../src/core/formats.ts'
import { READERS } from '../../../src/parse/readers.ts'
import { readSources } from '../../support/sources.ts'

test('each media type and each extension belongs to one format', () => {
  const formats = Object.values(FORMATS)
  for (const values of [formats.map(({ mediaType }) => mediaType), formats.flatMap(({ extensions }) => [...extensions])])
    expect(new Set(values).size).toBe(values.length)
})

test('each extension is in lower case and begins with a dot', () => {
  for (const { extensions } of Object.values(FORMATS)) for (const each of extensions) expect(each).toMatch(/^\.[a-z0-9]+$/)
})

test('each format has a parser', async () => {
  for (const id of FORMAT_IDS) expect(await READERS[id].load()).toBeTypeOf('function')
})

test('returns the format of a media type, and undefined for an unknown one', () => {
  expect(formatOf('text/html')).toBe(FORMATS.html)
  expect(formatOf('image/webp')).toBeUndefined()
})

test('lists the formats that every instance reads for a sentence', () => {
  const names = FORMAT_IDS.filter((id) => !['png', 'jpeg', 'tiff'].includes(id)).map((id) => FORMATS[id].name)
  expect(formatNames('and')).toBe(`${names.slice(0, -1).join(', ')} and ${names.at(-1)}`)
  expect(formatNames('or')).toMatch(/^PDF, DOCX, .*, CSV, .* or HTML$/)
})

// A new format needs a row in core/formats.ts, a row in parse/readers.ts, and its parser. Other code asks for a property of the format.
test('a format is named only in the tables of formats and readers, and in its parser', () => {
  /** Formats with a view of their own, and types that are also those of answers, of images of pages, and of attached messages. */
  const elsewhere = new Set<string>(['pdf', 'text', 'html', 'json', 'png', 'eml', 'msg', 'epub', 'docx'])
  const files = readSources().filter(
    ({ path }) => path !== 'core/formats.ts' && path !== 'parse/readers.ts' && !/^parse\/[^/]+\//.test(path),
  )
  for (const id of FORMAT_IDS.filter((id) => !elsewhere.has(id))) {
    const naming = files.filter((file) => file.literals.includes(FORMATS[id].mediaType) || file.members.has(`FORMATS.${id}`))
    expect([id, naming.map(({ path }) => path)]).toEqual([id, []])
  }
})
