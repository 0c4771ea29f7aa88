import { makeXlsx, sheetRow } from '../support/make-xlsx.ts'
import { makeZip } from '../support/make-zip.ts'
import { parserConformance } from './parser.ts'

const COSTS =
  sheetRow(1, ['Costs of the pier']) + sheetRow(3, ['Month', 'Rent']) + sheetRow(4, ['May', 900]) + sheetRow(5, ['June', 950.5])
const one = (data: string, after = ''): Buffer => makeXlsx([{ name: 'One', data, after }])

parserConformance('xlsx', async () => ({
  bytes: makeXlsx(
    [
      { name: 'Costs', data: COSTS },
      { name: 'Notes', data: sheetRow(1, ['Paid by transfer.']) },
    ],
    { formats: ['#,##0.00 "EUR"'], extra: [{ name: 'docProps/core.xml', data: '<c xmlns:d="d"><d:title>Pier</d:title></c>' }] },
  ),
  fileName: 'costs.xlsx',
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  expected: {
    engine: 'xlsx',
    title: 'Pier',
    pageCount: 2,
    texts: ['Costs', 'Costs of the pier', 'Month | Rent', 'May | 900.00 EUR', 'June | 950.50 EUR', 'Notes', 'Paid by transfer.'],
    kinds: ['heading', 'paragraph', 'table_row'],
  },
  broken: {
    'no sheets': makeXlsx([]),
    'no main part': makeZip([{ name: 'xl/worksheets/sheet1.xml', data: '<worksheet/>' }]),
    'a sheet that is no XML': one('</row><<'),
    'addresses out of range': one(
      '<row r="-5"><c r="ZZZ99999999"><v>1</v></c><c r="?"><v>2</v></c></row><row r="x"><c><v>3</v></c></row>',
    ),
    'strings and styles that are not there': one('<row><c t="s"><v>77</v></c><c s="99"><v>1</v></c><c t="s"><v>x</v></c></row>'),
    'merged cells everywhere': one(
      sheetRow(1, ['a']),
      `<mergeCells>${'<mergeCell ref="A1:A1048576"/>'.repeat(5_000)}</mergeCells>`,
    ),
    'an external entity': makeXlsx([], {
      extra: [{ name: 'xl/workbook.xml', data: '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>' }],
    }),
  },
}))
