import { expect, test } from 'vitest'
import { blocksOf, parseBytes } from '../../support/parse-file.ts'

test('Markdown: headings, paragraphs, lists, code and tables', async () => {
  const source =
    '# Guide\n\nA paragraph\non two lines.\n\n## Steps ##\n- one\n- two\n  goes on\n    - deeper\n\n```sh\nrun  me\n\nagain\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\nLater\n-----\nEnd.'
  const { pages, title } = await parseBytes(source, 'a.md')
  expect(title).toBe('Guide')
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Guide'],
    ['paragraph', 'A paragraph on two lines.'],
    ['heading2', 'Steps'],
    ['list_item', '- one'],
    ['list_item', '- two goes on'],
    ['list_item', '- deeper'],
    ['code', 'run  me\n\nagain'],
    ['table_row', '| a | b |'],
    ['table_row', '| 1 | 2 |'],
    ['heading2', 'Later'],
    ['paragraph', 'End.'],
  ])
})

test('Markdown: a fence that is never closed ends with the file', async () => {
  expect(blocksOf((await parseBytes('```\ncode', 'a.md')).pages[0])).toEqual([['code', 'code']])
})

test('HTML: headings, paragraphs, lists and tables; no script, style or navigation', async () => {
  const source =
    '<!doctype html><head><title>Site &amp; more</title><style>p{}</style></head><body><nav><a href=/>Home</a></nav><script>alert("x")</script><h1>Guide</h1>loose text<p>A <b>bold</b>\n word<ul><li>one<ol><li>inner</ol><li>two</ul><table><tr><th>Days<th>Who<tr><td>30<td><p>Every</p><p>body</p></table><pre>run  me\n  now</pre><p hidden>secret</p>'
  const { pages, title } = await parseBytes(source, 'a')
  expect(title).toBe('Site & more')
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Guide'],
    ['paragraph', 'loose text'],
    ['paragraph', 'A bold word'],
    ['list_item', 'one'],
    ['list_item', 'inner'],
    ['list_item', 'two'],
    ['table_row', 'Days | Who'],
    ['table_row', '30 | Every body'],
    ['code', 'run  me\n  now'],
  ])
})

test('HTML: the declared charset is believed, and any nesting is read', async () => {
  const latin = Buffer.from('<meta charset="iso-8859-1"><p>Grüße</p>', 'latin1')
  expect((await parseBytes(latin, 'a.html')).pages[0]?.text).toBe('Grüße')
  const deep = `${'<div>'.repeat(50_000)}core`
  expect((await parseBytes(deep, 'a.html')).pages[0]?.text).toBe('core')
})

test.each([
  ['---\ntitle: "House rules"\ntags: [home, "quiet hours", home]\n---\n# Other\n', 'House rules', ['home', 'quiet hours']],
  ["---\nlayout: post\ntags:\n  - a b\n  - '#c'\ntitle: >-\n  Folded\n  title\n...\n# Other\n", 'Folded title', ['a b', 'c']],
  ['---\ntags: one, two # for now\n---\n# Other\n', 'Other', ['one', 'two']],
])('Markdown: the front matter gives title and tags and is no text: %j', async (source, title, tags) => {
  const parsed = await parseBytes(source, 'a.md')
  expect(parsed).toMatchObject({ title, tags })
  expect(blocksOf(parsed.pages[0])).toEqual([['heading1', 'Other']])
})

test('Markdown: code is whole, and what stands in it is nothing else', async () => {
  const source = [
    '````md\n```js\n# no heading\n```\n````',
    '1. Run it:\n\n    ```sh\n    # no heading\n      make\n    ```\n2. ```\n   in an item\n   ```',
    '> ~~~\n> quoted\n> ~~~\n\nText\n\n    set in\n\n        deeper\n\nThe end.',
    '```\na\n```not its end\n```',
  ]
  expect(blocksOf((await parseBytes(source.join('\n\n'), 'a.md')).pages[0])).toEqual([
    ['code', '```js\n# no heading\n```'],
    ['list_item', '1. Run it:'],
    ['code', '# no heading\n  make'],
    ['code', 'in an item'],
    ['code', 'quoted'],
    ['paragraph', 'Text'],
    ['code', 'set in\n\n    deeper'],
    ['paragraph', 'The end.'],
    ['code', 'a\n```not its end'],
  ])
})

test('Markdown: quotations, within each other, are read as what stands in them', async () => {
  expect(blocksOf((await parseBytes('> # Title\n> text\ngoes on\n> > deep\n>\n> - item\n---\nafter', 'a.md')).pages[0])).toEqual([
    ['heading1', 'Title'],
    ['paragraph', 'text goes on'],
    ['paragraph', 'deep'],
    ['list_item', '- item'],
    ['paragraph', 'after'],
  ])
})

test('Markdown: HTML gives its blocks; comments and scripts give none', async () => {
  const source =
    '<div align="center">\n<h1>Project</h1>\n<p>About it.</p>\n</div>\n\n<!-- not\n\nshown -->\n<script>\n\nalert(1)\n</script>\n\n<details>\n<summary>More</summary>\n\n## In *Markdown*\n\n</details>\n\n<table><tr><th>a<tr><td>b</table>\n\n|c|\n|-|\n\n<https://example.org> stays'
  const { pages, title } = await parseBytes(source, 'a.md')
  expect(title).toBe('Project')
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Project'],
    ['paragraph', 'About it.'],
    ['paragraph', 'More'],
    ['heading2', 'In *Markdown*'],
    ['table_row', 'a'],
    ['table_row', 'b'],
    ['table_row', '|c|'],
    ['paragraph', '<https://example.org> stays'],
  ])
  expect(pages[0]?.blocks.flatMap(({ table }) => table ?? [])).toEqual([1, 1, 2])
})

test('Markdown: lists are as deep as they are set in, a number within a sentence begins none', async () => {
  const source =
    '- a\n    - b\n        1. c\n- d\n\nIt was in\n1984. Or later.\n\n5. five\n-\n\n#\n\nText\n| a | b |\n|---|---|\n| 1 | 2 |\n# End #'
  const { pages, title } = await parseBytes(source, 'a.md')
  expect(title).toBe('End')
  expect(pages[0]?.blocks.map(({ kind, level, start, end }) => [kind, level, pages[0]?.text.slice(start, end)])).toEqual([
    ['list_item', 1, '- a'],
    ['list_item', 2, '- b'],
    ['list_item', 3, '1. c'],
    ['list_item', 1, '- d'],
    ['paragraph', undefined, 'It was in 1984. Or later.'],
    ['list_item', 1, '5. five'],
    ['paragraph', undefined, 'Text'],
    ['table_row', undefined, '| a | b |'],
    ['table_row', undefined, '| 1 | 2 |'],
    ['heading', 1, 'End'],
  ])
})

test.each<[string, string | null, string[]]>([
  ['+++\ntitle = "In TOML"\ntags = [\n  "a",\n  \'b c\',\n]\n[extra]\ntitle = "no"\n+++\n', 'In TOML', ['a', 'b c']],
  ['---\ntitle: [never closed\ntags: {a: b\n: : :\n---\n', null, []],
  ['---\ntitle: "A \\"quoted\\" \\u00e9" # so\ntags: [a, "b"] # two\n---\n', 'A "quoted" é', ['a', 'b']],
  ["---\ntitle: 'It''s'\ntags:\n- a\n- b: c\n---\n", "It's", ['a']],
  ["---\r\ntitle: |\r\n  Two\r\n  lines\r\ntags: don't\r\n---\r\n", 'Two lines', ["don't"]],
])('Markdown: front matter in TOML, with escapes or broken: %j', async (source, title, tags) => {
  const parsed = await parseBytes(`${source}## Text`, 'a.md')
  expect(parsed).toMatchObject({ title, tags })
  expect(blocksOf(parsed.pages[0])).toEqual([['heading2', 'Text']])
})

test('Markdown: a line or a document of nothing but marks is read in a time that grows with it', async () => {
  const many = 100_000
  const lines = [
    `# ${' '.repeat(many)}x`,
    `a|b\n-${' '.repeat(many)}x`,
    `${'>'.repeat(many)}deep`,
    `${'- '.repeat(many)}x`,
    `---\ntags: [${'a"'.repeat(many)}\n---\n`,
    '<!--\n'.repeat(many / 10),
    '> \n'.repeat(many),
    '`'.repeat(many),
  ]
  for (const line of lines) expect((await parseBytes(line, 'a.md')).pages).toHaveLength(1)
})

test('Markdown: a rule at the beginning is no front matter', async () => {
  const { pages, tags } = await parseBytes('---\nNot a key, a sentence.\n---\nText.', 'a.md')
  expect(tags).toEqual([])
  expect(pages[0]?.text).toContain('Not a key, a sentence.')
})

test('HTML: what a site puts around every page is dropped, and a main part is all there is', async () => {
  const around = (body: string): string =>
    `<html><body><div role="banner">Logo</div><p>Beside.</p>${body}<footer>Imprint</footer></body></html>`
  const read = async (body: string): Promise<string | undefined> => (await parseBytes(around(body), 'a.html')).pages[0]?.text
  expect(
    await read('<main><h1>Rent</h1><p>It is due on the third.</p><section>All of it.<footer>Note.</footer></section></main>'),
  ).toBe('Rent\n\nIt is due on the third.\n\nAll of it.\n\nNote.')
  expect(await read('<article>No main part.</article>')).toBe('Beside.\n\nNo main part.')
  expect(await read('<main id=app></main><p>An empty frame, and a long text beside it.</p>')).toBe(
    'Beside.\n\nAn empty frame, and a long text beside it.',
  )
})

const html = async (source: string | Buffer, name = 'a.html'): Promise<[string, string][]> =>
  blocksOf((await parseBytes(source, name)).pages[0])

test('HTML: a heading is one with whatever elements in it, closed or not', async () => {
  expect(await html('<h1>One<p>two<h2><div>Three</div></h2><h3><a href=x>Four</a></h3>five')).toEqual([
    ['heading1', 'One'],
    ['paragraph', 'two'],
    ['heading2', 'Three'],
    ['heading3', 'Four'],
    ['paragraph', 'five'],
  ])
})

test('HTML: a head that is not closed is no end of the document, an element closed in its own tag is one in XHTML', async () => {
  expect(await html('<head><title>T</title><h1>Here</h1>')).toEqual([['heading1', 'Here']])
  const xhtml =
    '<?xml version="1.0"?><!DOCTYPE html><html><head><title/><script src="x"/></head><body><div/><p>Here</p></body></html>'
  expect(await html(xhtml, 'a.xhtml')).toEqual([['paragraph', 'Here']])
})

test('HTML: what is not shown is not read', async () => {
  const source =
    '<p style="color: red; display: none">a</p><p style="visibility:hidden">b</p><div role=" Navigation ">c</div><template><p>d</p></template><noscript>e</noscript><svg><title>f</title></svg><p hidden="until-found">Shown.</p>'
  expect(await html(source)).toEqual([['paragraph', 'Shown.']])
})

test('HTML: a document of nothing but what is usually left out is read all the same', async () => {
  expect(await html('<nav><h1>Index</h1><ul><li>Chapter</ul>')).toEqual([
    ['heading1', 'Index'],
    ['list_item', 'Chapter'],
  ])
  expect(await html('<body style="visibility:hidden"><p>Until it is loaded.</p><script>x</script>')).toEqual([
    ['paragraph', 'Until it is loaded.'],
  ])
})

test('HTML: a table that lays the page out is no table, one within it is', async () => {
  const source =
    '<table><tr><td>Left<td><h1>Title</h1><p>Text.</p><table><caption>Fees</caption><thead><tr><td>Month<td>Fee<tbody><tr><td>May<td>9</table></table>'
  const { pages } = await parseBytes(source, 'a.html')
  expect(blocksOf(pages[0])).toEqual([
    ['paragraph', 'Left'],
    ['heading1', 'Title'],
    ['paragraph', 'Text.'],
    ['paragraph', 'Fees'],
    ['table_row', 'Month | Fee'],
    ['table_row', 'May | 9'],
  ])
  expect(pages[0]?.blocks.filter(({ table }) => table).map(({ table, header }) => [table, header])).toEqual([
    [1, true],
    [1, undefined],
  ])
})

test('HTML: code is one block, whatever elements its lines are in', async () => {
  expect(await html('<pre><code><div>a</div><div>  b</div></code></pre><p>c</p><pre>d<h2>E</h2>f')).toEqual([
    ['code', 'a\n  b'],
    ['paragraph', 'c'],
    ['code', 'd'],
    ['heading2', 'E'],
    ['paragraph', 'f'],
  ])
})

test.each<[string, Buffer, string, string]>([
  ['UTF-8 that says it is Latin-1', Buffer.from('<meta charset="iso-8859-1"><p>Grüße'), 'utf-8', 'Grüße'],
  [
    'Latin-1 that says it is UTF-8',
    Buffer.from('<meta charset="utf-8"><p>Grüße aus Köln', 'latin1'),
    'windows-1252',
    'Grüße aus Köln',
  ],
  [
    'Cyrillic that says it is Latin-1',
    Buffer.concat([Buffer.from('<meta charset="windows-1252"><p>'), Buffer.from('c4eee3eee2eef020ede0f7e8ede0e5f2f1ff', 'hex')]),
    'windows-1251',
    'Договор начинается',
  ],
  ['a declaration in a comment', Buffer.from('<!-- <meta charset="koi8-r"> --><p>Grüße'), 'utf-8', 'Grüße'],
  [
    'a declaration in XML',
    Buffer.from('<?xml version="1.0" encoding="iso-8859-2"?><p>g\xF3ra i si\xEA', 'latin1'),
    'iso-8859-2',
    'góra i się',
  ],
])('HTML: %s is read', async (_what, bytes, encoding, text) => {
  const { pages, facts } = await parseBytes(bytes, 'a.html')
  expect(facts).toMatchObject({ encoding })
  expect(pages[0]?.text).toBe(text)
})
