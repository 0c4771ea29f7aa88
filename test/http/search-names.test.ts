import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import { startTestApp, type TestApp } from '../support/app.ts'

let app: TestApp

/** Returns the names of the documents found, best first. */
async function found(query: string, more: Partial<SearchRequest> = {}): Promise<string[]> {
  const { status, body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query, group_by: 'document', ...more })
  expect(status).toBe(200)
  return body.results.map(({ document }) => document.name)
}

const page = (title: string, text: string) => `<!doctype html><title>${title}</title><main><p>${text}</p></main>`

beforeAll(async () => {
  app = await startTestApp()
  const upload = (name: string, title: string, text: string) => app.alice.ready(name, page(title, text), { project: 'Reports' })
  await upload('ANNUALREPORT_2018.html', 'Form 10-K', 'Sales rose by four percent, and costs fell.')
  await upload('AMCOR_2020Q2_10K.html', 'Form 10-K', 'Sales fell by two percent, and costs rose.')
  await upload('minutes.html', 'Minutes', 'The board discussed the sales of the second quarter.')
})
afterAll(() => app?.close())

test.each([
  ['annual report', 'ANNUALREPORT_2018.html'],
  ['annual sales of 2018', 'ANNUALREPORT_2018.html'],
  ['amcor sales', 'AMCOR_2020Q2_10K.html'],
  ['sales in q2 2020', 'AMCOR_2020Q2_10K.html'],
])('the words of a name are searched next to the title: %s', async (query, name) => {
  for (const mode of ['hybrid', 'keyword'] as const) {
    expect((await found(query, { mode }))[0]).toBe(name)
    expect((await found(query, { mode, rerank: false }))[0]).toBe(name)
  }
})
