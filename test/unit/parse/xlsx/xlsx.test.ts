import { expect, test } from 'vitest'
import { chunkDocument } from '../../../../src/chunk/chunk.ts'
import { DEFAULT_LIMITS } from '../../../../src/config/config.ts'
import { errorCode } from '../../../support/codes.ts'
import { makeXlsx, type SheetXml, sheetRow } from '../../../support/make-xlsx.ts'
import { blocksOf, parseBytes } from '../../../support/parse-file.ts'

type Options = Parameters<typeof makeXlsx>[1]
const read = (sheets: readonly SheetXml[], options?: Options) => parseBytes(makeXlsx(sheets, options), 'a.xlsx')
const rowsOf = async (sheet: Omit<SheetXml, 'name'>, options?: Options) =>
  blocksOf((await read([{ name: 'S', ...sheet }], options)).pages[0])
    .slice(1)
    .map(([, text]) => text)

test('shows cells as Excel does: shared and rich strings, dates, booleans, errors, and results of formulas', async () => {
  const cells =
    '<c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><v>45000</v></c><c r="C1" t="b"><v>1</v></c><c r="D1" t="e"><v>#N/A</v></c>' +
    '<c r="E1" t="str"><f>CMD()</f><v>shown</v></c><c r="F1"><f>1+1</f></c><c r="G1"><v>2.50</v></c>'
  const strings = [
    '<r><t>東</t></r><r><t xml:space="preserve">京 </t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><r><t>a_x000A_b</t></r>',
  ]
  expect(await rowsOf({ data: `<row r="1">${cells}</row>` }, { formats: ['General', 'd.m.yyyy'], strings })).toEqual([
    '東京 a b | 15.3.2023 | TRUE | #N/A | shown | 2.5',
  ])
})

test('counts days from 1904 if the workbook does', async () => {
  const data = sheetRow(1, [43_538], 1)
  const properties = '<workbookPr date1904="1"/>'
  expect(await rowsOf({ data }, { formats: ['General', 'yyyy-mm-dd'], properties })).toEqual(['2023-03-15'])
})

test('every passage of a long sheet has the header row as context, and says in which rows it is', async () => {
  const data = Array.from({ length: 400 }, (_, i) => sheetRow(i + 4, [`Item ${i}`, i * 3, 'paid in cash']))
  const { pages } = await read([
    { name: 'Costs', data: sheetRow(1, ['Costs of 2026']) + sheetRow(3, ['Name', 'Price', 'Note']) + data.join('') },
  ])
  const passages = chunkDocument(pages, { maxTokens: 500, countTokens: (text) => text.split(/\s+/).length })
  expect(passages.length).toBeGreaterThan(5)
  for (const passage of passages.slice(1)) expect(passage.context).toBe('Costs of 2026\nName | Price | Note')
  expect(pages[0]!.blocks.slice(-1)).toMatchObject([{ kind: 'table_row', row: 403 }])
})

test('keeps columns, begins another table after a gap, and repeats labels of merged cells', async () => {
  const data = [
    sheetRow(1, ['Region', 'Town', 'Rent']),
    sheetRow(2, ['North', 'Kiel', 900]),
    sheetRow(3, [null, 'Husum', 700]),
    sheetRow(6, ['Name', null, 'Age']),
    sheetRow(7, ['Ann', null, 50]),
  ]
  const merged = '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
  const { pages } = await read([{ name: 'S', data: data.join(''), after: merged }])
  expect(
    blocksOf(pages[0])
      .slice(1)
      .map(([, text]) => text),
  ).toEqual(['Region | Town | Rent', 'North | Kiel | 900', 'North | Husum | 700', 'Name |  | Age', 'Ann |  | 50'])
  expect(pages[0]!.blocks.map(({ table, header }) => [table, header === true])).toEqual([
    [undefined, false],
    [1, true],
    [1, false],
    [1, false],
    [2, true],
    [2, false],
  ])
})

test('a filter or a frozen area marks a header of numbers', async () => {
  const data = sheetRow(1, [1, 2]) + sheetRow(2, [10, 20])
  for (const more of [
    { after: '<autoFilter ref="A1:B2"/>' },
    { before: '<sheetViews><sheetView><pane ySplit="1" state="frozen"/></sheetView></sheetViews>' },
  ]) {
    const { pages } = await read([{ name: 'S', data, ...more }])
    expect(pages[0]!.blocks.map(({ header }) => header === true)).toEqual([false, true, false])
  }
})

test('reads hidden sheets and says so, and comments with the addresses of their cells', async () => {
  const { pages } = await read(
    [
      { name: 'Salaries', state: 'veryHidden', data: sheetRow(1, ['Ann', 5_000]) },
      { name: 'Plan', data: sheetRow(1, ['Pier']), related: [['comments', '../comments1.xml']] },
      { name: 'Empty', data: '<row r="1"/>' },
    ],
    {
      extra: [
        {
          name: 'xl/comments1.xml',
          data: '<comments><authors><author>Bo</author></authors><comment ref="A1"><text><r><t>Too </t></r><r><t>late?</t></r></text></comment></comments>',
        },
      ],
    },
  )
  expect(pages.map((page) => blocksOf(page))).toEqual([
    [
      ['heading1', 'Salaries (hidden)'],
      ['table_row', 'Ann | 5000'],
    ],
    [
      ['heading1', 'Plan'],
      ['table_row', 'Pier'],
      ['heading2', 'Comments'],
      ['paragraph', 'A1: Too late?'],
    ],
    [],
  ])
})

test('a sheet that is shown from right to left has its cells in the order of the file', async () => {
  const before = '<sheetViews><sheetView rightToLeft="1" workbookViewId="0"/></sheetViews>'
  expect(await rowsOf({ before, data: sheetRow(1, ['שם', 'סכום']) + sheetRow(2, ['דנה', 12]) })).toEqual([
    'שם | סכום',
    'דנה | 12',
  ])
})

test('skips a million empty rows, and stops at the limit on cells with a warning', async () => {
  const empty = '<row r="9"/>'.repeat(1_000_000)
  expect(await rowsOf({ data: sheetRow(1, ['first']) + empty + sheetRow(1_000_000, ['last']) })).toEqual(['first', 'last'])
  const cells = '<c><v>1</v></c>'.repeat(500)
  const { warnings, pages } = await read([
    { name: 'Big', data: `<row>${cells}</row>`.repeat(1_005) },
    { name: 'Next', data: '' },
  ])
  expect(warnings).toMatchObject([{ code: 'cells_skipped', page: 1 }])
  expect(warnings[0]!.message).toContain('sheet "Big", row 1001')
  expect(pages[0]!.blocks.at(-1)!.row).toBe(1_000)
})

test('a cell in the last column does not add thousands of separators', async () => {
  const rows = Array.from(
    { length: 50 },
    (_, i) => `<row r="${i + 1}"><c r="A${i + 1}"><v>1</v></c><c r="X${'ABC'[i % 3]}${'DEF'[i % 3]}${i + 1}"><v>2</v></c></row>`,
  )
  expect((await rowsOf({ data: rows.join('') }))[0]).toBe('1 | 2')
})

test('refuses a bomb of shared strings', async () => {
  const strings = [`<t>${'a'.repeat(100_000)}</t>`]
  const data = `<row>${'<c t="s"><v>0</v></c>'.repeat(1_000)}</row>`
  await expect(rowsOf({ data }, { strings })).rejects.toMatchObject({ code: errorCode('too_much_text') })
  const large = makeXlsx([{ name: 'S', data: 'x'.repeat(DEFAULT_LIMITS.xmlBytes) }])
  await expect(parseBytes(large, 'a.xlsx')).rejects.toMatchObject({ code: errorCode('too_much_xml') })
})
