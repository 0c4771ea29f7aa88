import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { makePdf } from '../support/make-documents.ts'

let app: TestApp

const SEGMENTS = ['Consumer', 'Industrial', 'Electronics', 'Shipping', 'Energy', 'Farming', 'Printing', 'Tourism']
const LINES = ['Land', 'Capital expenditure', 'Depreciation', ...Array.from({ length: 20 }, (_, i) => `Other asset no. ${i}`)]

beforeAll(async () => {
  app = await startTestApp()
  const rows = SEGMENTS.flatMap((segment) => [[segment], ...LINES.map((label, i) => [label, `${i + 1},310`, `${i + 1},295`])])
  const pdf = await makePdf([[{ heading: 'Segments' }, { rows: [['Millions of dollars', '2018', '2017'], ...rows] }]])
  await app.alice.ready('segments.pdf', new Uint8Array(pdf))
})
afterAll(() => app?.close())

test.each(SEGMENTS)(
  'a question with the labels of a row, of its section (%s) and of its column finds the row',
  async (segment) => {
    const query = `capital expenditure 2018 ${segment}`
    const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query, limit: 1 })
    const [first] = body.results
    expect(first!.text).toContain('Capital expenditure')
    expect(`${first!.chunk.context}\n${first!.text}`).toMatch(new RegExp(`2018 2017[^]*${segment}[^]*Capital expenditure`))
  },
)
