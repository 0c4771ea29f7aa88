import { expect, test } from 'vitest'
import { cleanTitle } from '../../../src/parse/blocks/page-builder.ts'
import { parseBytes } from '../../support/parse-file.ts'

const LONG = `Rent \ufdd0\ufffe${'and more '.repeat(110_000)}`

test.each([
  ['a.html', `<title>${LONG}</title><p>text`],
  ['b.html', `<h1>${LONG}</h1><p>text`],
  ['a.rtf', String.raw`{\rtf1{\info{\title ${LONG.replace('\ufdd0\ufffe', String.raw`\u-560?`)}}}text}`],
  ['a.md', `# ${LONG}\n\ntext`],
  ['b.md', `---\ntitle: ${LONG}\n---\ntext`],
  ['a.rst', `${LONG}\n${'='.repeat(LONG.length)}\n\ntext`],
  ['a.adoc', `= ${LONG}\n\ntext`],
  ['a.eml', `From: a@example.org\nSubject: ${LONG}\n\ntext`],
])('cuts the title of %s, and removes noncharacters from it', async (name, source) => {
  const { title, messages = [] } = await parseBytes(source, name)
  expect(title).toMatch(/^Rent and more .*…$/)
  expect(title).toHaveLength(500)
  for (const { subject } of messages) {
    expect(subject).toMatch(/^Rent and more .*…$/)
    expect(subject).toHaveLength(1_000)
  }
})

test.each([
  ['nothing', null, null],
  ['blanks', '\ufdd0 \u2028\n', null],
  ['several lines', ' one\n two\u2028three\0 ', 'one two three'],
  ['pairs of surrogates', '😀'.repeat(300), `${'😀'.repeat(249)}…`],
])('makes a title of %s', (_, text, title) => {
  expect(cleanTitle(text)).toBe(title)
})
