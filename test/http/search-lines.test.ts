import { expect, onTestFinished, test } from 'vitest'
import type { SearchAnswer } from '../../src/contract/search.ts'
import { startTestApp } from '../support/app.ts'

test('with `lines`, a result says in which line of a text its passage begins', async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  const filler = Array.from({ length: 60 }, (_, i) => `Line ${i + 1} of the register names the seals of the guild.\n`).join('\n')
  await app.alice.ready('register.txt', `${filler}\n\nThe gatekeeper keeps the lantern.\n`)
  await app.alice.ready('notes.md', '# Mill\n\nThe mill has a wheel.\n')
  await app.alice.ready('pages.txt', 'The ferry leaves at noon.\n\fThe ferry returns at dusk.\n')
  const lineOf = async (query: string, more: object = {}) => {
    const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query, lines: true, ...more })
    const [{ document, chunk }] = body.results as [SearchAnswer['results'][number]]
    const { body: text } = await app.alice.get<string>(`/api/v1/documents/${document.id}/text`)
    return { name: document.name, line: chunk.line, counted: text.slice(0, chunk.char_start).split('\n').length }
  }
  const late = await lineOf('gatekeeper lantern')
  expect(late).toMatchObject({ name: 'register.txt', line: late.counted })
  expect(late.line).toBeGreaterThan(50)
  expect(await lineOf('wheel of the mill')).toMatchObject({ name: 'notes.md', line: 1 })
  expect(await lineOf('ferry dusk')).toMatchObject({ name: 'pages.txt', line: null })
  const { body } = await app.alice.post<SearchAnswer>('/api/v1/search', { query: 'lantern' })
  expect(body.results[0]!.chunk).not.toHaveProperty('line')
})
