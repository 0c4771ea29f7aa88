import { expect, test } from 'vitest'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

const read = async (inner: string | Buffer) =>
  parseBytes(
    Buffer.concat([Buffer.from(String.raw`{\rtf1\ansi `), Buffer.from(inner as string, 'latin1'), Buffer.from('}')]),
    'a.rtf',
  )
const blocks = async (inner: string) => blocksOf((await read(inner)).pages[0])

test.each([
  ['the code page of the document', String.raw`\ansicpg1251 \'cf\'f0\'e8`, 'При'],
  ['raw bytes', '\\ansicpg1250 p\xf8\xedli\x9a', 'příliš'],
  ['a code page of DOS', String.raw`\pca \'81ber`, 'über'],
  ['that of Mac OS', String.raw`\mac \'9fber`, 'über'],
  ['two bytes, the second of which is a letter', String.raw`\ansicpg932 \'83\'41\'83A`, 'アア'],
  ['the font of a group', String.raw`{\fonttbl{\f5\fcharset161 Greek;}}{\f5\'e1}\'e1`, 'αá'],
  ['characters without a fallback', String.raw`\uc0\u945\u946 x`, 'αβx'],
  ['a fallback of two characters', String.raw`\uc2\u945 ab\u946\'61\'62c`, 'αβc'],
  ['a pair of surrogates', String.raw`\u-10179?\u-8704?`, '😀'],
  ['names in two codings', String.raw`{\upr{a?}{\*\ud{\u945 ?}}}`, 'α'],
  ['symbols', String.raw`\lquote a\rquote\emdash b\~c\-d\{\}\\`, '‘a’—b cd{}\\'],
])('reads %s', async (_, inner, expected) => {
  expect(await blocks(inner)).toEqual([['paragraph', expected]])
})

test('skips hidden and deleted text, fields, pictures and unknown destinations', async () => {
  const inner = String.raw`a{\v b}{\deleted c}{\field{\*\fldinst d}{\fldrslt e}}{\pict f}{\*\g h}{\*\bkmkstart i}{\shp{\*\shpinst{\sp{\sn j}{\sv k}}{\shptxt l}}}`
  expect(await blocks(inner)).toEqual([['paragraph', 'ael']])
})

test('a new page begins where the author broke it', async () => {
  const { pages, pageCount } = await read(String.raw`one\par\page two\par`)
  expect(pages.map(({ text }) => text)).toEqual(['one', 'two'])
  expect(pageCount).toBe(2)
})

test('a table ends before the next paragraph, even if another table follows', async () => {
  const row = (text: string) => String.raw`\trowd\pard\intbl ${text}\cell x\cell\row `
  const { pages } = await read(`${row('a')}${row('b')}\\pard between\\par ${row('c')}`)
  expect(pages[0]!.blocks.map(({ table }) => table)).toEqual([1, 1, undefined, 2])
  expect(pages[0]!.text).toBe('a | x\nb | x\n\nbetween\n\nc | x')
})

test("reads the HTML of Outlook's messages", async () => {
  const inner = String.raw`\fromhtml1{\*\htmltag64 <p>}Gr\'fc\'dfe \{\}{\*\htmltag84 &lt;}{\*\htmltag72 </p>}\htmlrtf\par\htmlrtf0{\*\htmltag <ul><li>}{\htmlrtf \'b7\htmlrtf0}one{\*\htmltag </li></ul>}`
  const { pages, facts } = await read(inner)
  expect(blocksOf(pages[0])).toEqual([
    ['paragraph', 'Grüße {}<'],
    ['list_item', 'one'],
  ])
  expect(facts).toMatchObject({ html: true })
})

test('is recognized by its first characters, whatever its name', async () => {
  expect((await parseBytes('{\\rtf1 a}', 'letter.doc')).mediaType).toBe('application/rtf')
  expect((await parseBytes('{\\rtfm} is a macro', 'a.rtf')).mediaType).toBe('application/rtf')
  expect((await parseBytes('Notes about {\\rtf1}', 'a.txt')).mediaType).toBe('text/plain')
})
