import { expect, test } from 'vitest'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

test('reads headings, paragraphs, lists and tables, but no scripts, styles or navigation', async () => {
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

test('uses the declared charset, and reads any depth of nesting', async () => {
  const latin = Buffer.from('<meta charset="iso-8859-1"><p>Grüße</p>', 'latin1')
  expect((await parseBytes(latin, 'a.html')).pages[0]?.text).toBe('Grüße')
  const deep = `${'<div>'.repeat(50_000)}core`
  expect((await parseBytes(deep, 'a.html')).pages[0]?.text).toBe('core')
  const full = `${'<div>'.repeat(2_000)}<script>code()</script><p>one<p>two<br>three${'</div>'.repeat(2_000)}<p>end`
  expect((await parseBytes(full, 'a.html')).pages[0]?.text).toBe('one\n\ntwo\nthree\n\nend')
})

test('characters with which docsearch marks page breaks mean nothing in a page', async () => {
  const { pages } = await parseBytes('<p>one&#xfdd0;two<table><tr><td>a&#xfdd1;b<td>c</table>', 'a.html')
  expect(pages.map(({ text }) => text)).toEqual(['onetwo\n\nab | c'])
})

test('drops what a site puts around every page, and everything outside the main part', async () => {
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

test('reads a heading with other elements in it, closed or not', async () => {
  expect(await html('<h1>One<p>two<h2><div>Three</div></h2><h3><a href=x>Four</a></h3>five')).toEqual([
    ['heading1', 'One'],
    ['paragraph', 'two'],
    ['heading2', 'Three'],
    ['heading3', 'Four'],
    ['paragraph', 'five'],
  ])
})

test('reads on after an unclosed head, and closes elements in their own tag in XHTML', async () => {
  expect(await html('<head><title>T</title><h1>Here</h1>')).toEqual([['heading1', 'Here']])
  const xhtml =
    '<?xml version="1.0"?><!DOCTYPE html><html><head><title/><script src="x"/></head><body><div/><p>Here</p></body></html>'
  expect(await html(xhtml, 'a.xhtml')).toEqual([['paragraph', 'Here']])
})

test('does not read hidden elements', async () => {
  const source =
    '<p style="color: red; display: none">a</p><p style="visibility:hidden">b</p><div role=" Navigation ">c</div><template><p>d</p></template><noscript>e</noscript><svg><title>f</title></svg><p hidden="until-found">Shown.</p>'
  expect(await html(source)).toEqual([['paragraph', 'Shown.']])
})

test('reads a page that has text only in parts that are usually dropped', async () => {
  expect(await html('<nav><h1>Index</h1><ul><li>Chapter</ul>')).toEqual([
    ['heading1', 'Index'],
    ['list_item', 'Chapter'],
  ])
  expect(await html('<body style="visibility:hidden"><p>Until it is loaded.</p><script>x</script>')).toEqual([
    ['paragraph', 'Until it is loaded.'],
  ])
})

test('reads the cells of a layout table as parts of the page, and a table within it as a table', async () => {
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

test('reads preformatted text as one block, whatever elements its lines are in', async () => {
  expect(await html('<pre><code><div>a</div><div>  b</div></code></pre><p>c</p><pre>d<h2>E</h2>f')).toEqual([
    ['code', 'a\n  b'],
    ['paragraph', 'c'],
    ['code', 'd'],
    ['heading2', 'E'],
    ['paragraph', 'f'],
  ])
})

test('an element named like a property of every object is no heading', async () => {
  expect(await html('<constructor>a</constructor><p>b')).toEqual([
    ['paragraph', 'a'],
    ['paragraph', 'b'],
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
])('detects the encoding of %s', async (_what, bytes, encoding, text) => {
  const { pages, facts } = await parseBytes(bytes, 'a.html')
  expect(facts).toMatchObject({ encoding })
  expect(pages[0]?.text).toBe(text)
})

test('keeps a label apart from the text of its field', async () => {
  const { pages } = await parseBytes(
    '<!doctype html><form><label>Name</label><textarea>Ada</textarea><label>Born</label>1815</form>',
    'a.html',
  )
  expect(pages[0]?.text).toBe('Name Ada Born 1815')
})

const PROSE = `The lease ${'goes on for as long as both want it to, '.repeat(20)}and then it ends.`
const links = (...texts: string[]): string => texts.map((text) => `<li><a href="/${text}">${text}</a></li>`).join('')
const MENU = `<ul>${links('Home', 'News', 'Shop', 'Contact')}</ul>`

test.each([
  ['a menu in front of the content', MENU],
  ['a menu by its name', `<h2>Leases</h2><div class="left sidebar"><h3>Topics</h3>${MENU}</div>`, 'Leases'],
  ['a side note that is links', `<h2>Leases</h2><aside><h3>See also</h3>${MENU}</aside>`, 'Leases'],
  ['a request for consent', '<div id="cookie-banner"><p>We value your privacy.</p><button>Accept</button></div>'],
  ['a footer by its name', '<div class="site-footer"><p>© 2020 Landlords, 1 Street</p></div>'],
  ['what screen readers skip', '<span aria-hidden="true">★</span>'],
])('drops %s', async (_what, part, kept = '') => {
  expect((await html(`<body>${part}<p>${PROSE}</p>`)).map(([, text]) => text)).toEqual([...(kept === '' ? [] : [kept]), PROSE])
})

test.each([
  ['a list of links on a page that has little else', `<p>All chapters.</p><div class="menu">${MENU}</div>`, 'Home'],
  ['a list of links below a heading', `<h1>Chapters</h1>${MENU}<p>${PROSE}</p>`, 'Home'],
  ['a list of links within the text', `<p>${PROSE}</p>${MENU}<p>${PROSE}</p>`, 'Home'],
  ['the table of contents', `<ul>${links('A', 'B', 'C', 'D').replaceAll('"/', '"#')}</ul><p>${PROSE}</p>`, 'A'],
  [
    'a side note that is text',
    `<aside>Mind the <a href="/n">notice</a> period, which is long.</aside><p>${PROSE}</p>`,
    'Mind the notice period, which is long.',
  ],
  [
    'a menu of dishes',
    `<div class="menu"><p>Soup, 4.50</p><p>Stew, 9.00, see <a href="/a">allergens</a></p></div><p>${PROSE}</p>`,
    'Soup, 4.50',
  ],
  [
    'a policy about cookies',
    `<div class="cookie-notice"><h1>Cookies</h1><p>We bake them.</p><a href="/x">More</a></div><p>${PROSE}</p>`,
    'We bake them.',
  ],
  ['the page behind an open dialog', `<div aria-hidden="true"><p>${PROSE}</p></div>`, PROSE],
  ['the visible half of a formula', `<p>${PROSE}</p><p><span class="katex-html" aria-hidden="true">x + y</span></p>`, 'x + y'],
  ['a closed part', '<details><summary>More</summary><p>Inside.</p></details>', 'Inside.'],
])('keeps %s', async (_what, source, text) => {
  expect((await html(`<body>${source}`)).map(([, block]) => block)).toContain(text)
})

test('reads descriptions and captions of images, but no logos and decorations', async () => {
  const source =
    '<a href="/"><img alt="ACME"></a><figure><img src="a.png" alt="Rents by quarter"><figcaption>Figure 1</figcaption></figure><p>A<img alt="map">B<img alt="IMG_1.JPG"><img alt="line" role="presentation"></p><a href="a.png"><img alt="A plan of the second floor"></a>'
  expect((await html(source)).map(([, text]) => text)).toEqual([
    'Rents by quarter',
    'Figure 1',
    'A map B',
    'A plan of the second floor',
  ])
})

test('looks for parts of the site in linear time', async () => {
  for (const part of [
    '<ul class=menu></ul>',
    '<div class=menu><button></button></div>',
    '<aside><a href=/x>y</a></aside>',
    '<i aria-hidden=true>x</i>',
  ])
    expect((await parseBytes(`<body>${part.repeat(20_000)}<p>${PROSE}`, 'a.html')).pages).toHaveLength(1)
})
