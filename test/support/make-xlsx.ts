import { relationships, RELATIONSHIPS } from './make-pptx.ts'
import { makeZip, type ZipEntry } from './make-zip.ts'

const NAMESPACES = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONSHIPS}"`

export interface SheetXml {
  name: string
  state?: string
  /** The rows as XML. */
  data: string
  /** Elements before the rows, such as the frozen area. */
  before?: string
  /** Elements after the rows, such as merged cells. */
  after?: string
  related?: readonly (readonly [type: string, target: string])[]
}

/** Returns a row whose cells are numbers and inline strings; null for an empty cell. */
export function sheetRow(number: number, cells: readonly (string | number | null)[], style = 0): string {
  const cell = (value: string | number | null, i: number): string => {
    if (value === null) return ''
    const at = `r="${String.fromCharCode(65 + i)}${number}"`
    return typeof value === 'number'
      ? `<c ${at} s="${style}"><v>${value}</v></c>`
      : `<c ${at} t="inlineStr"><is><t>${value}</t></is></c>`
  }
  return `<row r="${number}">${cells.map(cell).join('')}</row>`
}

/** Returns a workbook. `formats` are the number formats of the styles 0, 1, 2 …, and `strings` are shared strings as XML. */
export function makeXlsx(
  sheets: readonly SheetXml[],
  {
    formats = ['General'],
    strings = [],
    extra = [],
    properties = '',
  }: { formats?: readonly string[]; strings?: readonly string[]; extra?: readonly ZipEntry[]; properties?: string } = {},
): Buffer {
  const escaped = (code: string): string => code.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  return makeZip([
    {
      name: '[Content_Types].xml',
      data: '<Types><Override ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    },
    { name: '_rels/.rels', data: relationships([['officeDocument', 'xl/workbook.xml']]) },
    {
      name: 'xl/workbook.xml',
      data: `<workbook ${NAMESPACES}>${properties}<sheets>${sheets.map(({ name, state = 'visible' }, i) => `<sheet name="${name}" sheetId="${i + 1}" state="${state}" r:id="rel${i + 1}"/>`).join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: relationships([
        ...sheets.map((_sheet, i) => ['worksheet', `worksheets/sheet${i + 1}.xml`] as const),
        ['styles', 'styles.xml'],
        ['sharedStrings', 'sharedStrings.xml'],
      ]),
    },
    {
      name: 'xl/styles.xml',
      data: `<styleSheet ${NAMESPACES}><numFmts>${formats.map((code, i) => `<numFmt numFmtId="${200 + i}" formatCode="${escaped(code)}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${formats.map((_code, i) => `<xf numFmtId="${200 + i}"/>`).join('')}</cellXfs></styleSheet>`,
    },
    { name: 'xl/sharedStrings.xml', data: `<sst ${NAMESPACES}>${strings.map((one) => `<si>${one}</si>`).join('')}</sst>` },
    ...sheets.flatMap(({ data, before = '', after = '', related = [] }, i): ZipEntry[] => [
      {
        name: `xl/worksheets/sheet${i + 1}.xml`,
        data: `<worksheet ${NAMESPACES}><dimension ref="A1:XFD1048576"/>${before}<sheetData>${data}</sheetData>${after}</worksheet>`,
      },
      { name: `xl/worksheets/_rels/sheet${i + 1}.xml.rels`, data: relationships(related) },
    ]),
    ...extra,
  ])
}
