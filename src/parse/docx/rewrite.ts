import type { Readable } from 'node:stream'
import { readXml } from './xml.ts'
import { visible } from './visible.ts'

/** Nothing in them is text but what stands in a text box. */
const DRAWINGS = new Set(['drawing', 'pict', 'object'])
/** Copies of the same content: visible() has chosen one. */
const TRANSPARENT = new Set(['AlternateContent', 'Choice', 'Fallback', 'oMathPara'])
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * A part of WordprocessingML as mammoth can read all of it: new pages and equations as runs of text, drawings gone but for the
 * text in them. Takes memory in proportion to the part. Throws `corrupt`.
 */
export async function rewriteForMammoth(source: Readable): Promise<string> {
  let out = ''
  let prefix = ''
  /** For each open element, what is to be written when it closes; null within a drawing. */
  const closing: (string | null)[] = []
  const insideDrawing = (): boolean => closing.at(-1) === null

  await readXml(
    source,
    visible({
      open({ name, qualified, attributes }) {
        if (closing.length === 0) prefix = qualified.slice(0, qualified.length - name.length)
        if (name === 'txbxContent') {
          out += `<${prefix}pict><${prefix}txbxContent>`
          closing.push(`</${prefix}txbxContent></${prefix}pict>`)
        } else if (DRAWINGS.has(name) || insideDrawing()) closing.push(null)
        else if (TRANSPARENT.has(name)) closing.push('')
        else {
          const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`)
          out += `<${qualified}${written.join('')}>`
          closing.push(`</${qualified}>`)
        }
      },
      text(text) {
        if (!insideDrawing()) out += escape(text)
      },
      close() {
        out += closing.pop() ?? ''
      },
      insert(text, withinRun) {
        if (insideDrawing()) return
        const element = `<${prefix}t xml:space="preserve">${escape(text)}</${prefix}t>`
        out += withinRun ? element : `<${prefix}r>${element}</${prefix}r>`
      },
    }),
  )
  return out
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)
}
