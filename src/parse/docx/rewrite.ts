import type { Readable } from 'node:stream'
import type { DocxDefinitions } from './definitions.ts'
import { ListNumbers } from './list-numbers.ts'
import { headingLevel, headingOf, type ParagraphStyles } from './styles.ts'
import { readXml } from '../package/xml.ts'
import { DOCX_XML } from './zip.ts'
import { visible } from './visible.ts'

/** These elements hold no text, except in a text box. */
const DRAWINGS = new Set(['drawing', 'pict', 'object'])
/** Elements that mammoth must not see: alternatives, from which visible() has chosen one, and wrappers around runs. */
const TRANSPARENT = new Set(['AlternateContent', 'Choice', 'Fallback', 'oMathPara', 'fldSimple', 'ruby', 'rubyBase'])
/** Properties of a paragraph that structureXml() replaces. */
const STRUCTURE = new Set(['pStyle', 'outlineLvl'])
/** The style that replaces the style of a heading. */
const headingStyle = (level: number): string => `docsearch-heading-${level}`
const LEVELS = [1, 2, 3, 4, 5, 6]
/** Tells mammoth which HTML element each of these styles becomes. */
export const STYLE_MAP = LEVELS.map((level) => `p.${headingStyle(level)} => h${level}:fresh`)
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

interface Structure {
  style: string | null
  outline: number | null
  isNumbered: boolean
}

/**
 * Rewrites a part of WordprocessingML so that mammoth can read all of it. New pages and equations become runs of text, drawings
 * disappear except for the text in them, and headings and lists get a style that mammoth knows. Uses
 * memory in proportion to the part. Throws `corrupt`.
 */
export async function rewriteForMammoth(source: Readable, { styles, numbering }: DocxDefinitions): Promise<string> {
  let out = ''
  let prefix = ''
  /** For each open element, the text to write when it closes; null within a drawing. */
  const closing: (string | null)[] = []
  /** What the open properties of a paragraph say. */
  let structure: Structure | null = null
  const isInDrawing = (): boolean => closing.at(-1) === null

  await readXml(
    source,
    DOCX_XML,
    visible(
      {
        open({ name, qualified, attributes, attribute }, path) {
          if (closing.length === 0) prefix = qualified.slice(0, qualified.length - name.length)
          if (name === 'pPr') structure = { style: null, outline: null, isNumbered: false }
          if (structure !== null && path.at(-1) === 'pPr') {
            if (name === 'pStyle') structure.style = attribute('val')
            else if (name === 'outlineLvl') structure.outline = headingLevel(attribute('val'))
            else if (name === 'numPr') structure.isNumbered = true
          }
          if (name === 'txbxContent') {
            out += `<${prefix}pict><${prefix}txbxContent>`
            closing.push(`</${prefix}txbxContent></${prefix}pict>`)
          } else if (DRAWINGS.has(name) || isInDrawing()) closing.push(null)
          else if (TRANSPARENT.has(name) || (STRUCTURE.has(name) && path.at(-1) === 'pPr')) closing.push('')
          else {
            const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`)
            out += `<${qualified}${written.join('')}>`
            closing.push(`</${qualified}>`)
          }
        },
        text(text) {
          if (!isInDrawing()) out += escape(text)
        },
        close(name) {
          if (name === 'pPr' && structure !== null) {
            if (!isInDrawing()) out += structureXml(prefix, structure, styles)
            structure = null
          }
          out += closing.pop() ?? ''
        },
        insert(text, isWithinRun) {
          if (isInDrawing()) return
          const element = `<${prefix}t xml:space="preserve">${escape(text)}</${prefix}t>`
          out += isWithinRun ? element : `<${prefix}r>${element}</${prefix}r>`
        },
      },
      new ListNumbers(numbering, styles),
    ),
  )
  return out
}

function structureXml(prefix: string, { style, outline, isNumbered }: Structure, styles: ParagraphStyles): string {
  const level = headingOf(styles, style, outline)
  const named = level > 0 ? headingStyle(Math.min(level, LEVELS.length)) : style
  const { numbering = null } = styles.get(style ?? '') ?? {}
  const value = (name: string, text: string): string => `<${prefix}${name} ${prefix}val="${escape(text)}"/>`
  const list =
    numbering === null || isNumbered || level > 0
      ? ''
      : `<${prefix}numPr>${value('ilvl', String(numbering.level ?? 0))}${value('numId', numbering.id)}</${prefix}numPr>`
  return (named === null ? '' : value('pStyle', named)) + list
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)
}
