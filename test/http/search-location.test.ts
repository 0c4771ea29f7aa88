import { expect, onTestFinished, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp } from '../support/app.ts'
import { makePptx, textShape } from '../support/make-pptx.ts'
import { makeXlsx, sheetRow } from '../support/make-xlsx.ts'

test('a result says where it is in the terms of its format', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const rows = Array.from({ length: 300 }, (_, i) => sheetRow(i + 2, [i === 250 ? 'lighthouse' : `pier ${i}`, i]))
  const header = sheetRow(1, ['Place', 'Price'])
  await app.alice.ready(
    'costs.xlsx',
    new Uint8Array(
      makeXlsx([
        { name: 'Empty', data: '' },
        { name: 'Costs', data: header + rows.join('') },
      ]),
    ),
  )
  await app.alice.ready(
    'talk.pptx',
    new Uint8Array(makePptx([{ shapes: textShape('One') }, { shapes: textShape('The gatekeeper keeps the lantern.') }])),
  )
  await app.alice.ready('prices.csv', 'town,rent\nKiel,900\n\nHusum,700\n')
  await app.alice.ready('pages.txt', 'The ferry leaves at noon.\n\fThe ferry returns at dusk.\n')
  await app.alice.ready('mill.txt', 'The mill has a wheel.\n')
  const find = async (query: string, more: object = {}) => {
    const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query, mode: 'keyword', ...more })
    return body.results[0]!
  }
  expect(await find('lighthouse')).toMatchObject({
    chunk: { page_start: 2 },
    location: expect.stringMatching(/^sheet "Costs", rows \d+–\d+$/),
  })
  const [, first, last] = /(\d+)–(\d+)/.exec((await find('lighthouse')).location!)!.map(Number)
  expect([first! <= 252, last! >= 252, first! > 100]).toEqual([true, true, true])
  expect(await find('gatekeeper')).toMatchObject({ location: 'slide 2' })
  expect(await find('Husum')).toMatchObject({ location: 'rows 1–4' })
  expect(await find('Husum', { lines: true })).toMatchObject({ location: 'rows 1–4', chunk: { line: 1 } })
  expect(await find('dusk')).toMatchObject({ location: 'page 2' })
  expect(await find('mill')).toMatchObject({ location: null })
  expect(await find('mill', { lines: true })).toMatchObject({ location: 'line 1', chunk: { line: 1 } })
  // The type operator, the filter and the media type of the original know the formats.
  expect(await find('type:xlsx lighthouse')).toMatchObject({ document: { name: 'costs.xlsx' } })
  const filter = { media_types: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'] }
  const { document } = await find('gatekeeper', { filter })
  const original = await app.alice.get(`/api/v1/documents/${document.id}/content`)
  expect(original.headers.get('content-type')).toBe(document.media_type)
  expect(original.headers.get('content-disposition')).toMatch(/^attachment/)
  expect(original.headers.get('content-security-policy')).toContain('sandbox')
})
