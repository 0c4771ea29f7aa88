import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_JOINED_CHARS, MAX_PASSAGE_CHARS, MAX_TITLE_CHARS } from '../../src/core/text-limits.ts'
import { type Instance, newInstance, type Running } from '../support/instance.ts'

const WORDS = 'word '.repeat(200_000)

/** Files that once became a single passage or repeated a text of a megabyte in every passage, and words that find them. */
const FILES: [name: string, query: string, content: string][] = [
  ['exclamation-marks.txt', 'wombat', `The wombat sleeps ${'!'.repeat(6_000_000)}`],
  ['amharic.txt', 'ሰላም', 'ሰላም ለዓለም። '.repeat(220_000)],
  ['title.html', 'heron', `<title>${WORDS}</title>${'<p>The heron stands in the reeds.</p>'.repeat(500)}`],
  ['heading.html', 'lantern', `<h1>${WORDS}</h1>${'<p>The lantern is lit.</p>'.repeat(500)}`],
  ['front-matter.md', 'axolotl', `---\ntitle: ${WORDS}\n---\n\n# ${WORDS}\n\n${'The axolotl swims.\n\n'.repeat(500)}`],
  [`${'n'.repeat(990)}.txt`, 'pergola', 'The pergola is taken down.\n\n'.repeat(500)],
]

let instance: Instance
let running: Running
beforeAll(async () => {
  instance = await newInstance()
  running = await instance.start()
  for (const [name, , content] of FILES) await running.upload([{ name, content }])
  await running.settled(150_000)
})
afterAll(() => instance.remove())

describe.each(FILES.map(([name, query]) => [name.slice(0, 25), name, query] as const))('%s', (_, name, query) => {
  test('ten searches return bounded passages with the text of the document', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => running.search(query, { limit: 100, project: 'default' })))
    for (const { results, truncated } of answers) {
      expect(truncated).toBe(false)
      expect(results.map(({ document }) => document.name)).toContain(name)
      for (const { text, chunk, document } of results) {
        expect(text.length).toBeLessThanOrEqual(MAX_JOINED_CHARS)
        expect(Math.max((document.title ?? '').length, chunk.heading.length)).toBeLessThanOrEqual(MAX_TITLE_CHARS)
      }
    }
    const { text, chunk, document } = answers[0]!.results.find((result) => result.document.name === name)!
    const whole = await running.call<string>('GET', `/api/v1/documents/${document.id}/text`)
    expect(whole.body.slice(chunk.char_start, chunk.char_end)).toBe(text)
  })
})

test('no document is one large passage, and lists have short titles', async () => {
  const documents = await running.documents()
  expect(documents.map(({ status }) => status)).toEqual(FILES.map(() => 'ready'))
  for (const { name, title, chunk_count } of documents) {
    const [, , content] = FILES.find(([own]) => own === name)!
    if (name.endsWith('.txt')) expect(chunk_count).toBeGreaterThanOrEqual(content.length / MAX_PASSAGE_CHARS)
    expect((title ?? '').length).toBeLessThanOrEqual(MAX_TITLE_CHARS)
  }
})
