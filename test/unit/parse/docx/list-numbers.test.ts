import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../../../src/config/config.ts'
import { formatNumber } from '../../../../src/parse/docx/number-formats.ts'
import { chunkDocument } from '../../../../src/chunk/chunk.ts'
import { docxParagraph, rawDocx } from '../../../support/make-bombs.ts'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const FILLER = '<w:p><w:pPr><w:rPr><w:sz w:val="22"/></w:rPr></w:pPr></w:p>'.repeat(60_000)
const value = (name: string, text: string | number): string => `<w:${name} w:val="${text}"/>`
const lvl = (level: number, pattern: string, more = value('numFmt', 'decimal'), start = 1): string =>
  `<w:lvl w:ilvl="${level}">${value('start', start)}${more}${value('lvlText', pattern)}</w:lvl>`
const definition = (id: number, ...levels: string[]): string =>
  `<w:abstractNum w:abstractNumId="${id}">${levels.join('')}</w:abstractNum>`
const list = (id: number, of: number, more = ''): string => `<w:num w:numId="${id}">${value('abstractNumId', of)}${more}</w:num>`
const item = (list: number, level: number, text: string, more = ''): string =>
  `<w:p><w:pPr><w:numPr>${value('ilvl', level)}${value('numId', list)}</w:numPr>${more}</w:pPr>${run(text)}</w:p>`
const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const styled = (style: string, text: string, more = ''): string =>
  `<w:p><w:pPr>${value('pStyle', style)}${more}</w:pPr>${run(text)}</w:p>`

/** Returns the texts of the blocks, which mammoth and the streaming reader must agree on. */
async function textsOf(body: string, numbering: string, styles = ''): Promise<string[]> {
  const extra = [
    { name: 'word/numbering.xml', data: `<w:numbering ${NAMESPACE}>${numbering}</w:numbering>` },
    { name: 'word/styles.xml', data: `<w:styles ${NAMESPACE}>${styles}</w:styles>` },
  ]
  const read = async (filler: string): Promise<[string, string[]]> => {
    const { pages, facts } = await parseBytes(rawDocx(body + filler, { extra }), 'a.docx')
    return [String(facts['engine']), pages.flatMap((page) => blocksOf(page).map(([, text]) => text))]
  }
  const [[first, texts], [second, streamed]] = await Promise.all([read(''), read(FILLER)])
  expect([first, second]).toEqual(['mammoth', 'stream'])
  expect(streamed).toEqual(texts)
  return texts
}

test('writes the numbers of a list in front of its paragraphs, level by level', async () => {
  const numbering =
    definition(0, lvl(0, '%1.'), lvl(1, '%1.%2'), lvl(2, '(%3)', value('numFmt', 'lowerLetter') + value('suff', 'space'))) +
    list(1, 0)
  expect(
    await textsOf(
      item(1, 0, 'Term') +
        item(1, 1, 'Start') +
        item(1, 1, 'End') +
        item(1, 2, 'early') +
        item(1, 2, 'late') +
        item(1, 0, 'Rent') +
        item(1, 1, 'Amount'),
      numbering,
    ),
  ).toEqual(['1. Term', '1.1 Start', '1.2 End', '(a) early', '(b) late', '2. Rent', '2.1 Amount'])
})

test('restarts levels and lists as Word does', async () => {
  const numbering =
    definition(
      0,
      lvl(0, '%1.'),
      lvl(1, '%2)', value('numFmt', 'decimal') + value('lvlRestart', 0)),
      lvl(2, '%3', value('numFmt', 'decimal') + value('lvlRestart', 1)),
    ) +
    list(1, 0) +
    list(2, 0) +
    list(3, 0, `<w:lvlOverride w:ilvl="0">${value('startOverride', 7)}</w:lvlOverride>`) +
    list(4, 0, `<w:lvlOverride w:ilvl="0">${lvl(0, 'Article %1', value('numFmt', 'upperRoman'), 1)}</w:lvlOverride>`)
  expect(
    await textsOf(
      item(1, 0, 'a') +
        item(1, 1, 'b') +
        item(1, 2, 'c') +
        item(1, 1, 'd') +
        item(1, 2, 'e') +
        item(1, 0, 'f') +
        item(1, 1, 'g') +
        item(1, 2, 'h') +
        item(2, 0, 'same count') +
        item(3, 0, 'anew') +
        item(3, 0, 'on') +
        item(4, 0, 'written otherwise'),
      numbering,
    ),
  ).toEqual([
    '1. a',
    '1) b',
    '1 c',
    '2) d',
    '2 e',
    '2. f',
    '3) g',
    '1 h',
    '3. same count',
    '7. anew',
    '8. on',
    'Article IX written otherwise',
  ])
})

test('numbers headings by their style, so that a passage and its heading have the number of the clause', async () => {
  const numbering =
    `<w:abstractNum w:abstractNumId="0">${lvl(0, 'Article %1', value('numFmt', 'upperRoman') + value('pStyle', 'H1'))}${lvl(1, '%1.%2', value('numFmt', 'decimal') + value('pStyle', 'H2') + '<w:isLgl/>')}</w:abstractNum>` +
    list(1, 0)
  const style = (id: string, name: string, more: string): string =>
    `<w:style w:type="paragraph" w:styleId="${id}">${value('name', name)}${more}</w:style>`
  const inList = `<w:pPr><w:numPr>${value('numId', 1)}</w:numPr></w:pPr>`
  const styles =
    style('H1', 'heading 1', inList) + style('H2', 'heading 2', inList) + style('H3', 'Clause', value('basedOn', 'H2'))
  const body =
    styled('H1', 'Term') +
    styled('H1', 'End') +
    styled('H2', 'Notice') +
    styled('H2', 'Termination') +
    docxParagraph('Either party may end it.') +
    styled('H1', 'Not numbered', `<w:numPr>${value('numId', 0)}</w:numPr>`)
  expect(await textsOf(body, numbering, styles)).toEqual([
    'Article I Term',
    'Article II End',
    '2.1 Notice',
    '2.2 Termination',
    'Either party may end it.',
    'Not numbered',
  ])
  const { pages } = await parseBytes(
    rawDocx(body, {
      extra: [
        { name: 'word/numbering.xml', data: `<w:numbering ${NAMESPACE}>${numbering}</w:numbering>` },
        { name: 'word/styles.xml', data: `<w:styles ${NAMESPACE}>${styles}</w:styles>` },
      ],
    }),
    'a.docx',
  )
  const headings = chunkDocument(pages, { maxTokens: 8, countTokens: (text) => text.split(/\s+/).length }).map(
    ({ headingPath }) => headingPath,
  )
  expect(headings).toContainEqual(['Article II End', '2.2 Termination'])
})

test('takes a list from the numbering style that it links to', async () => {
  const numbering =
    `<w:abstractNum w:abstractNumId="0">${value('numStyleLink', 'Legal')}</w:abstractNum>` +
    `<w:abstractNum w:abstractNumId="1">${value('styleLink', 'Legal')}${lvl(0, '§ %1', value('numFmt', 'decimalZero') + value('suff', 'nothing'))}</w:abstractNum>` +
    list(1, 0) +
    list(2, 1)
  expect(
    await textsOf(
      item(1, 0, ' Scope') + item(1, 0, ' Fees'),
      numbering,
      `<w:style w:type="numbering" w:styleId="Legal"><w:name w:val="Legal"/><w:pPr><w:numPr>${value('numId', 2)}</w:numPr></w:pPr></w:style>`,
    ),
  ).toEqual(['§ 01 Scope', '§ 02 Fees'])
})

test('counts no bullets, no deleted paragraphs, and empty paragraphs without a trace', async () => {
  const numbering = definition(0, lvl(0, '%1.')) + definition(1, lvl(0, '', value('numFmt', 'bullet'))) + list(1, 0) + list(2, 1)
  const deleted = '<w:rPr><w:del/></w:rPr>'
  const gone = `<w:p><w:pPr><w:numPr>${value('ilvl', 0)}${value('numId', 1)}</w:numPr>${deleted}</w:pPr><w:del><w:r><w:delText>Gone</w:delText></w:r></w:del></w:p>`
  expect(
    await textsOf(
      item(2, 0, 'bullet') +
        item(1, 0, 'one') +
        gone +
        item(1, 0, 'two') +
        item(1, 0, '').replace(run(''), '') +
        item(1, 0, 'joined ', deleted) +
        item(1, 0, 'to this') +
        item(1, 0, 'last'),
      numbering,
    ),
  ).toEqual(['bullet', '1. one', '2. two', '4. joined to this', '5. last'])
})

test.each([
  ['decimalZero', 7, '07'],
  ['lowerRoman', 14, 'xiv'],
  ['upperRoman', 1_000_000_000, '1000000000'],
  ['lowerLetter', 28, 'bb'],
  ['upperLetter', 1_000_000, '1000000'],
  ['ordinal', 22, '22nd'],
  ['ordinal', 112, '112th'],
  ['cardinalText', 21, 'Twenty-one'],
  ['ordinalText', 40, 'Fortieth'],
  ['ordinalText', 3, 'Third'],
  ['chineseCountingThousand', 15, '十五'],
  ['japaneseCounting', 25, '二十五'],
  ['none', 3, ''],
  ['unknown', 3, '3'],
])('writes a number as %s: %i', (format, number, expected) => {
  expect(formatNumber(number, format)).toBe(expected)
})

test('bounds the numbers of a hostile list', async () => {
  const numbering =
    definition(
      0,
      ...Array.from({ length: 9 }, (_, level) =>
        lvl(level, '%1%2%3%4%5%6%7%8%9'.repeat(1_000), value('numFmt', 'lowerRoman'), 999_999_999),
      ),
    ) + list(1, 0)
  const body = item(1, 8, 'x').repeat(2_000)
  const docx = rawDocx(body, {
    extra: [{ name: 'word/numbering.xml', data: `<w:numbering ${NAMESPACE}>${numbering}</w:numbering>` }],
  })
  const { pages } = await parseBytes(docx, 'a.docx', { limits: DEFAULT_LIMITS })
  expect(pages[0]!.text.length).toBeLessThan(2_000 * 200)
})

test('keeps the result of a field once, and no instruction', async () => {
  const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`
  const instruction = (text: string): string => `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`
  const nested =
    field('begin') +
    instruction(' IF ') +
    field('begin') +
    instruction(' REF x \\h ') +
    field('separate') +
    run('hidden') +
    field('end') +
    instruction(' = 1 ') +
    field('separate') +
    run('shown') +
    field('end')
  const reference = field('begin') + instruction(' REF _Ref1 \\r \\h ') + field('separate') + run('4.2') + field('end')
  expect(
    await textsOf(
      `<w:p>${run('See clause ')}${reference}${run(', ')}<w:fldSimple w:instr=" PAGEREF _Ref1 ">${run('12')}</w:fldSimple>${run(', ')}${nested}${run('.')}</w:p><w:p>${field('begin')}${instruction(' REF ')}</w:p>${docxParagraph('Never hidden.')}`,
      '',
    ),
  ).toEqual(['See clause 4.2, 12, shown.', 'Never hidden.'])
})

test('keeps the description of an image once', async () => {
  const picture = (text: string): string =>
    `<w:drawing><wp:inline xmlns:wp="wp"><wp:docPr id="1" name="Picture 1" descr="${text}"/></wp:inline></w:drawing>`
  const body = `<w:p>${run('Below:')}<w:r>${picture('Sales by region')}</w:r></w:p><w:p><w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice Requires="wpg">${picture('A pump')}</mc:Choice><mc:Fallback><w:pict><v:shape xmlns:v="v" alt="A pump"/></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`
  expect(await textsOf(body, '')).toEqual(['Below: Sales by region', 'A pump'])
})
