import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { wrapProse } from './report-file.ts'

test('wraps prose at 100 characters, and keeps rows of tables and empty lines', () => {
  const row = `| ${'cell '.repeat(40)}|`
  const [first, second] = ['word '.repeat(20).trim(), 'word word']
  expect(wrapProse(`# Title\n\n${first} ${second}\n\n${row}\n`)).toBe(`# Title\n\n${first}\n${second}\n\n${row}\n`)
})

// Otherwise the next run would change lines whose figures are the same.
test.each([
  ['QUALITY.md', '## What was tried'],
  ['DOCUMENTS.md', '## Other formats'],
])('%s is wrapped as `npm run quality` writes it', (name, writtenByHand) => {
  const report = readFileSync(new URL(`../../bench/${name}`, import.meta.url), 'utf8')
  const generated = report.slice(0, report.indexOf(writtenByHand))
  expect(generated.length).toBeGreaterThan(1000)
  // Joins lines of prose that follow each other.
  const paragraphs = generated.replaceAll(/^([^|\n].*)\n(?=[^|\n])/gm, '$1 ')
  expect(paragraphs).not.toBe(generated)
  expect(wrapProse(paragraphs)).toBe(generated)
})
