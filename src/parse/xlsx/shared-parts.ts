import type { Package } from '../package/package.ts'
import type { Element, XmlHandlers } from '../package/xml.ts'
import { isDateFormat } from './format-number.ts'

/** Excel writes control characters as `_x000D_`, and an underscore before such a sequence as `_x005F_`. */
const ESCAPED = /_x([0-9a-f]{4})_/gi

/** Collects the text of a string, of all its runs, without the hints on how to pronounce it. */
export class StringText implements Required<XmlHandlers> {
  value = ''
  private isInText = false
  private phonetic = 0

  open({ name }: Pick<Element, 'name'>): void {
    if (name === 't') this.isInText = this.phonetic === 0
    else if (name === 'rPh') this.phonetic++
  }

  text(text: string): void {
    if (this.isInText) this.value += text
  }

  close(name: string): void {
    if (name === 't') this.isInText = false
    else if (name === 'rPh') this.phonetic--
  }

  /** Returns the text so far and begins with the next string. */
  take(): string {
    const { value } = this
    this.value = ''
    return value.includes('_x')
      ? value.replace(ESCAPED, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      : value
  }
}

/** Returns the strings that the cells of a workbook share. */
export async function readSharedStrings(parts: Package, part: string | undefined): Promise<string[]> {
  const strings: string[] = []
  if (part === undefined) return strings
  const reader = new StringText()
  await parts.readXml(part, {
    open: (element) => reader.open(element),
    text: (text) => reader.text(text),
    close(name) {
      if (name === 'si') strings.push(reader.take())
      else reader.close(name)
    },
  })
  return strings
}

/** The formats that a file need not define (ECMA-376 part 1, 18.8.30), as Excel in English shows them. */
const BUILT_IN: Readonly<Record<number, string>> = {
  0: 'General',
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0;("$"#,##0)',
  6: '"$"#,##0;("$"#,##0)',
  7: '"$"#,##0.00;("$"#,##0.00)',
  8: '"$"#,##0.00;("$"#,##0.00)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  41: '#,##0;(#,##0);"-"',
  42: '"$"#,##0;("$"#,##0);"-"',
  43: '#,##0.00;(#,##0.00);"-"',
  44: '"$"#,##0.00;("$"#,##0.00);"-"',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
}

export interface CellFormat {
  code: string
  isDate: boolean
}

const GENERAL: CellFormat = { code: 'General', isDate: false }

/** Returns the number formats of the styles of a workbook, by the index that cells have. */
export async function readCellFormats(parts: Package, part: string | undefined): Promise<CellFormat[]> {
  const own = new Map<number, string>()
  const formats: CellFormat[] = []
  let isInCellFormats = false
  if (part === undefined) return formats
  await parts.readOptionalXml(part, {
    open({ name, attribute }) {
      if (name === 'numFmt') own.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '')
      else if (name === 'cellXfs') isInCellFormats = true
      else if (name === 'xf' && isInCellFormats) {
        const id = Number(attribute('numFmtId') ?? 0)
        const code = own.get(id) ?? BUILT_IN[id] ?? 'General'
        formats.push(code === 'General' ? GENERAL : { code, isDate: isDateFormat(code) })
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCellFormats = false
    },
  })
  return formats
}
