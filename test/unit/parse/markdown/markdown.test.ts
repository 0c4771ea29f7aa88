import { expect, test } from 'vitest'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

test('reads headings, paragraphs, lists, code and tables', async () => {
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
    ['table_row', 'a | b'],
    ['table_row', '1 | 2'],
    ['heading2', 'Later'],
    ['paragraph', 'End.'],
  ])
})

test('ends an unclosed block of code with the file', async () => {
  expect(blocksOf((await parseBytes('```\ncode', 'a.md')).pages[0])).toEqual([['code', 'code']])
})

test('keeps a block of code whole, whatever its lines look like', async () => {
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

test('reads the blocks in nested quotations', async () => {
  expect(blocksOf((await parseBytes('> # Title\n> text\ngoes on\n> > deep\n>\n> - item\n---\nafter', 'a.md')).pages[0])).toEqual([
    ['heading1', 'Title'],
    ['paragraph', 'text goes on'],
    ['paragraph', 'deep'],
    ['list_item', '- item'],
    ['paragraph', 'after'],
  ])
})

test('reads the blocks of HTML, but no comments and scripts', async () => {
  const source =
    '<div align="center">\n<h1>Project</h1>\n<p>About it.</p>\n</div>\n\n<!-- not\n\nshown -->\n<script>\n\nalert(1)\n</script>\n\n<details>\n<summary>More</summary>\n\n## In *Markdown*\n\n</details>\n\n<table><tr><th>a<tr><td>b</table>\n\n|c|\n|-|\n\n<https://example.org> stays'
  const { pages, title } = await parseBytes(source, 'a.md')
  expect(title).toBe('Project')
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Project'],
    ['paragraph', 'About it.'],
    ['paragraph', 'More'],
    ['heading2', 'In Markdown'],
    ['table_row', 'a'],
    ['table_row', 'b'],
    ['table_row', 'c'],
    ['paragraph', 'https://example.org stays'],
  ])
  expect(pages[0]?.blocks.flatMap(({ table }) => table ?? [])).toEqual([1, 1, 2])
})

test('takes the depth of a list item from its indent, and a number within a sentence as text', async () => {
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
    ['table_row', undefined, 'a | b'],
    ['table_row', undefined, '1 | 2'],
    ['heading', 1, 'End'],
  ])
})

test.each([
  ['emphasis', 'The **notice** period is *three* __months__, ~~not~~ ***six***.', 'The notice period is three months, not six.'],
  [
    'emphasis within words and across scripts',
    '**Note:**这是**重要。**的 un*frigging*believable',
    'Note:这是重要。的 unfriggingbelievable',
  ],
  [
    'marks that are text',
    '5 * 3 * 2, 2*3*4, snake_case_name, a ** b, ~5 ~6, $a',
    '5 * 3 * 2, 2*3*4, snake_case_name, a ** b, ~5 ~6, $a',
  ],
  ['code', 'Call`run(**all)` or `` a ` b `` and ` not this', 'Call run(**all) or a ` b and ` not this'],
  ['links', '[a **b**](http://x.org/a_(b) "T"), [c](<d e>), [](x), [not a link] (x)', 'a b, c, , [not a link] (x)'],
  ['images', '[![Build](b.svg)](x)[![Tests](t.svg)](y) a![plan](p.png)b', 'Build Tests a plan b'],
  ['addresses', '<https://x.org/*a*> <me@x.org> **https://x.org/_a_/b**', 'https://x.org/*a* me@x.org https://x.org/_a_/b'],
  [
    'inline HTML',
    'H<sub>2</sub>O<br>**a** <!-- c --> List<string> <img src="x" alt="plan"> a < b',
    'H2O a List<string> plan a < b',
  ],
  ['escapes and references', '\\*a\\* C:\\Users &amp; &#65; &nothing; one\\\ntwo', '*a* C:\\Users & A &nothing; one two'],
  ['links of a notebook', '[[Page One]], [[two|Page Two]], [[1]](x)', 'Page One, Page Two, [1]'],
  ['formulas', '$$a_{1} * b * \\{c\\}$$ *x*', '$$a_{1} * b * \\{c\\}$$ x'],
])('reads %s as the rendered page shows it', async (_what, source, text) => {
  expect((await parseBytes(source, 'a.md')).pages[0]?.text).toBe(text)
})

test('resolves references to links and footnotes, and keeps what only looks like one', async () => {
  const source =
    '# Deposit[^1] {#deposit}\n\nSee [the *act*][Act], [act][], [act] and [nothing][x], [y].\n\n[act]: https://act.example "The act"\n[7]: Smith\n\n[^1]: Held in **trust**.\n    On two lines.\n\n    And a paragraph.\n[^n]: Unused.\n\n- ![](blank.png)\n- a \\| b\n\n| a | **b** |\n|--|--|\n| `x` | y \\| z |'
  const { pages, title } = await parseBytes(source, 'a.md')
  expect(title).toBe('Deposit')
  expect(blocksOf(pages[0])).toEqual([
    ['heading1', 'Deposit'],
    ['paragraph', 'See the act, act, act and [nothing][x], [y].'],
    ['paragraph', '[7]: Smith'],
    ['paragraph', '1: Held in trust. On two lines.'],
    ['paragraph', 'And a paragraph.'],
    ['paragraph', 'n: Unused.'],
    ['list_item', '- a | b'],
    ['table_row', 'a | b'],
    ['table_row', 'x | y | z'],
  ])
})

test('reads hostile lines and documents in linear time', async () => {
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
    ...['**a', '*a_b', '[', '[a](', '[a](<', '[a](b "', '[[a|', '``a`', '<a ', '<!--', '$$', '\\', '][', '~~a'].map((mark) =>
      mark.repeat(many),
    ),
    `https://x${'!'.repeat(many)}x [a](b${' '.repeat(many)}x [a](b "${'x'.repeat(many)}`,
    `[a]: http://a\n\n${'[a]'.repeat(many / 4)}`,
  ]
  for (const line of lines) expect((await parseBytes(line, 'a.md')).pages).toHaveLength(1)
})
