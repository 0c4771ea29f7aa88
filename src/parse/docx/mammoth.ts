import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import mammoth from 'mammoth'
import { isDocsearchError } from '../../core/errors.ts'
import type { Flow } from '../blocks/flow.ts'
import { readHtml } from '../html/read-html.ts'
import { readXml } from '../package/xml.ts'
import { type DocxDefinitions, headingLevel, headingOf, type ParagraphStyles } from './definitions.ts'
import { ListNumbers } from './list-numbers.ts'
import { DOCX_XML, isForMammoth, NOTES, readParts } from './parts.ts'
import { visible } from './visible.ts'

/** The interface through which mammoth reads an archive. It gets the rewritten parts, and nothing else of the file. */
interface Archive {
  exists(name: string): boolean
  read(name: string, encoding?: string): Promise<Uint8Array | string>
}

/**
 * Reads body and notes into `flow` with mammoth. Returns false if mammoth fails; the flow is then unchanged.
 * Throws `too_much_text`, `too_many_pages`.
 */
export async function readWithMammoth(file: string, main: string, flow: Flow, definitions: DocxDefinitions): Promise<boolean> {
  let html: string
  try {
    const archive = await archiveOf(file, main, definitions)
    const { value } = await mammoth.convertToHtml({ file: archive } as unknown as Parameters<typeof mammoth.convertToHtml>[0], {
      styleMap: STYLE_MAP,
      includeEmbeddedStyleMap: false,
    })
    html = numberNotes(value)
  } catch (error) {
    if (isDocsearchError(error) && error.code !== 'corrupt') throw error
    // The streaming reader can often read what mammoth can't. If not, its error says what is wrong.
    return false
  }
  readHtml(html, flow)
  return true
}

async function archiveOf(file: string, main: string, definitions: DocxDefinitions): Promise<Archive> {
  const parts = new Map<string, string>()
  await readParts(
    file,
    (name) => isForMammoth(name, main),
    async (name, stream: Readable) => {
      parts.set(name, name === main || NOTES.test(name) ? await rewriteForMammoth(stream, definitions) : await text(stream))
    },
  )
  return {
    exists: (name) => parts.has(name),
    async read(name, encoding) {
      const part = parts.get(name) ?? ''
      return encoding === undefined ? Buffer.from(part) : part
    },
  }
}

/** Writes the number of each note in front of it. mammoth numbers only the references and lists the notes at the end. */
function numberNotes(html: string): string {
  let number = 0
  return html
    .replace(/<a href="#(?:foot|end)note-ref-[^"]*">↑<\/a>/g, '')
    .replace(/<li id="(?:foot|end)note-[^"]*">(?:<p>)?/g, (opening) => `${opening}[${++number}] `)
}

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
const STYLE_MAP = LEVELS.map((level) => `p.${headingStyle(level)} => h${level}:fresh`)
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
async function rewriteForMammoth(source: Readable, { styles, numbering }: DocxDefinitions): Promise<string> {
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
