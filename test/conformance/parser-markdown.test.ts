import { parserConformance } from './parser.ts'

const SOURCE = `---
title: House rules
tags: [home]
---
# For everybody

Rent is due on the third working day.

- from ten in the evening
  - on Sundays too

\`\`\`sh
ring --softly
\`\`\`

| day | hours |
|-----|-------|
| Mon | 22–6  |
`

parserConformance('markdown', async () => ({
  bytes: Buffer.from(SOURCE),
  fileName: 'rules.md',
  mediaType: 'text/markdown',
  expected: {
    engine: 'markdown',
    encoding: 'utf-8',
    title: 'House rules',
    pageCount: 1,
    texts: ['For everybody', 'Rent is due', 'from ten', 'on Sundays', 'ring --softly', 'day | hours', 'Mon | 22–6'],
    kinds: ['heading', 'paragraph', 'list_item', 'code', 'table_row'],
  },
  broken: {
    'front matter without an end': Buffer.from('---\ntitle: x\n'.repeat(400)),
    'ten thousand levels': Buffer.from(`${'>'.repeat(10_000)} deep\n${' '.repeat(10_000)}- deep\n`),
    'marks and nothing else': Buffer.from('#\n##\n- \n* \n1.\n```\n```\n|\n|-|\n---\n***\n===\n> \n'),
  },
}))
