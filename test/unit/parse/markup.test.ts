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
