import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatMarkdown } from '../../../src/cli/view/markdown.ts'
import { printed } from '../../../src/cli/view/safe.ts'
import { styles } from '../../../src/cli/view/style.ts'
import { textWidth } from '../../../src/cli/view/width.ts'

const format = (page: string, width = 40) => printed(formatMarkdown(page, { width, style: styles(false) }))

const PAGE = `# A \`page\`

A paragraph with a [link](other.md) and \`code\` that
is wrapped again.

- first
- second, which is so long that it needs two lines

\`\`\`sh
keep  this

  as it is
\`\`\`

| key | default | meaning |
| --- | --- | --- |
| \`port\` | 4747 | port \\| socket |
`

test('formats headings, paragraphs, lists, code and tables', () => {
  expect(format(PAGE)).toBe(`A page

A paragraph with a link and \`code\` that
is wrapped again.

- first
- second, which is so long that it needs
  two lines

  keep  this
  
    as it is

port · default 4747
    port | socket
`)
})

const folder = new URL('../../../docs/', import.meta.url)

test.each(readdirSync(folder))('%s fits a narrow terminal, without marks of tables', (name) => {
  const page = readFileSync(new URL(name, folder), 'utf8')
  const text = format(page.replaceAll(/```[^]*?```/g, '').replaceAll(/<!--[^]*?-->/g, ''), 60)
  expect(text).not.toMatch(/^\|/m)
  const words = text.split('\n').filter((line) => textWidth(line) > 60 && line.trim().includes(' '))
  expect(words).toEqual([])
})
