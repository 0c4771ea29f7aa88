import { expect, test } from 'vitest'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

test.each([
  ['---\ntitle: "House rules"\ntags: [home, "quiet hours", home]\n---\n# Other\n', 'House rules', ['home', 'quiet hours']],
  ["---\nlayout: post\ntags:\n  - a b\n  - '#c'\ntitle: >-\n  Folded\n  title\n...\n# Other\n", 'Folded title', ['a b', 'c']],
  ['---\ntags: one, two # for now\n---\n# Other\n', 'Other', ['one', 'two']],
])('takes title and tags from the front matter, and drops it from the text: %j', async (source, title, tags) => {
  const parsed = await parseBytes(source, 'a.md')
  expect(parsed).toMatchObject({ title, tags })
  expect(blocksOf(parsed.pages[0])).toEqual([['heading1', 'Other']])
})

test.each<[string, string | null, string[]]>([
  ['+++\ntitle = "In TOML"\ntags = [\n  "a",\n  \'b c\',\n]\n[extra]\ntitle = "no"\n+++\n', 'In TOML', ['a', 'b c']],
  ['---\ntitle: [never closed\ntags: {a: b\n: : :\n---\n', null, []],
  ['---\ntitle: "A \\"quoted\\" \\u00e9" # so\ntags: [a, "b"] # two\n---\n', 'A "quoted" é', ['a', 'b']],
  ["---\ntitle: 'It''s'\ntags:\n- a\n- b: c\n---\n", "It's", ['a']],
  ["---\r\ntitle: |\r\n  Two\r\n  lines\r\ntags: don't\r\n---\r\n", 'Two lines', ["don't"]],
])('reads front matter in TOML, with escapes, or broken: %j', async (source, title, tags) => {
  const parsed = await parseBytes(`${source}## Text`, 'a.md')
  expect(parsed).toMatchObject({ title, tags })
  expect(blocksOf(parsed.pages[0])).toEqual([['heading2', 'Text']])
})

test('does not take a rule at the beginning for front matter', async () => {
  const { pages, tags } = await parseBytes('---\nNot a key, a sentence.\n---\nText.', 'a.md')
  expect(tags).toEqual([])
  expect(pages[0]?.text).toContain('Not a key, a sentence.')
})
