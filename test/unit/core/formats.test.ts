import { expect, test } from 'vitest'
import { FORMAT_IDS, FORMATS, formatNames, formatOf } from '../../../src/core/formats.ts'
import { READERS } from '../../../src/parse/readers.ts'

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
