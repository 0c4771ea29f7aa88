import type { Readable } from 'node:stream'
import { headingLevel, headingOf, type ParagraphStyles } from './styles.ts'
import { readXml } from './xml.ts'
import { visible } from './visible.ts'

/** Nothing in them is text but what stands in a text box. */
const DRAWINGS = new Set(['drawing', 'pict', 'object'])
/** Copies of the same content, of which visible() has chosen one, and what only surrounds runs. */
const TRANSPARENT = new Set(['AlternateContent', 'Choice', 'Fallback', 'oMathPara', 'fldSimple', 'ruby', 'rubyBase'])
/** Properties of a paragraph that are written anew. */
const STRUCTURE = new Set(['pStyle', 'outlineLvl'])
/** A style for headings of each level. */
const headingStyle = (level: number): string => `docsearch-heading-${level}`
const LEVELS = [1, 2, 3, 4, 5, 6]
/** What mammoth is to make of these styles. */
export const STYLE_MAP = LEVELS.map((level) => `p.${headingStyle(level)} => h${level}:fresh`)
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * A part of WordprocessingML as mammoth can read all of it: new pages and equations as runs of text, drawings gone but for the
 * text in them, headings and lists by whatever makes them such. Takes memory in proportion to the part. Throws `corrupt`.
 */
export async function rewriteForMammoth(source: Readable, styles: ParagraphStyles): Promise<string> {
  let out = ''
  let prefix = ''
  /** For each open element, what is to be written when it closes; null within a drawing. */
  const closing: (string | null)[] = []
  /** Of the open properties of a paragraph. */
  let structure: { style: string | null; outline: number | null; numbered: boolean } | null = null
  const insideDrawing = (): boolean => closing.at(-1) === null

  await readXml(
    source,
    visible({
      open({ name, qualified, attributes, attribute }, path) {
        if (closing.length === 0) prefix = qualified.slice(0, qualified.length - name.length)
        if (name === 'pPr') structure = { style: null, outline: null, numbered: false }
        if (structure !== null && path.at(-1) === 'pPr') {
          if (name === 'pStyle') structure.style = attribute('val')
          else if (name === 'outlineLvl') structure.outline = headingLevel(attribute('val'))
          else if (name === 'numPr') structure.numbered = true
        }
        if (name === 'txbxContent') {
          out += `<${prefix}pict><${prefix}txbxContent>`
          closing.push(`</${prefix}txbxContent></${prefix}pict>`)
        } else if (DRAWINGS.has(name) || insideDrawing()) closing.push(null)
        else if (TRANSPARENT.has(name) || (STRUCTURE.has(name) && path.at(-1) === 'pPr')) closing.push('')
        else {
          const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`)
          out += `<${qualified}${written.join('')}>`
          closing.push(`</${qualified}>`)
        }
      },
      text(text) {
        if (!insideDrawing()) out += escape(text)
      },
      close(name) {
        if (name === 'pPr' && structure !== null) {
          if (!insideDrawing()) out += structureXml(prefix, structure, styles)
          structure = null
        }
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

function structureXml(
  prefix: string,
  { style, outline, numbered }: { style: string | null; outline: number | null; numbered: boolean },
  styles: ParagraphStyles,
): string {
  const level = headingOf(styles, style, outline)
  const named = level > 0 ? headingStyle(Math.min(level, LEVELS.length)) : style
  const { numbering = null } = styles.get(style ?? '') ?? {}
  const value = (name: string, text: string): string => `<${prefix}${name} ${prefix}val="${escape(text)}"/>`
  const list =
    numbering === null || numbered || level > 0
      ? ''
      : `<${prefix}numPr>${value('ilvl', String(numbering.level))}${value('numId', numbering.id)}</${prefix}numPr>`
  return (named === null ? '' : value('pStyle', named)) + list
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)
}
