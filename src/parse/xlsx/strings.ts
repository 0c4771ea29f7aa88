import type { Package } from '../package/package.ts'
import type { Element, XmlHandlers } from '../package/xml.ts'

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
