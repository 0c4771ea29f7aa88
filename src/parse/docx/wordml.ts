import type { Readable } from 'node:stream'
import { SaxesParser } from 'saxes'
import { corrupt } from '../failures.ts'
import type { Flow } from '../flow.ts'

/** Word itself nests a few dozen deep. */
const MAX_DEPTH = 2_000

/** Level of a heading by the id of its style. */
export type HeadingStyles = ReadonlyMap<string, number>

interface Paragraph {
  style: string | null
  list: number | null
  outline: number | null
}

/**
 * Streams a part of WordprocessingML (document, header, footer, notes, comments) into blocks in memory that does not grow
 * with the part.
 * Deleted text, field codes and the fallback copy of a drawing are left out.
 */
export async function readWordml(stream: Readable, flow: Flow, styles: HeadingStyles): Promise<void> {
  const paragraphs: Paragraph[] = []
  let inText = false
  let skip = 0
  let headerRow = false
  const present = (): Paragraph | undefined => paragraphs.at(-1)

  const endParagraph = (paragraph: Paragraph | undefined): void => {
    const level = paragraph?.outline ?? (paragraph?.style ? styles.get(paragraph.style) : undefined)
    if (level !== undefined && level !== null) flow.end('heading', level)
    else if (paragraph?.list != null) flow.end('list_item', paragraph.list)
    else flow.end('paragraph')
  }

  await readXml(stream, {
    open(name, attribute) {
      if (skip > 0 || name === 'Fallback') skip++
      else if (name === 'p') {
        // A text box stands within a paragraph: what came before it is a block of its own.
        if (paragraphs.length > 0) endParagraph(present())
        paragraphs.push({ style: null, list: null, outline: null })
      } else if (name === 't') inText = true
      else if (name === 'tab') flow.text('\t')
      else if (name === 'br' || name === 'cr') flow.text('\n')
      else if (name === 'noBreakHyphen') flow.text('-')
      else if (name === 'tbl') flow.openTable()
      else if (name === 'tblHeader') headerRow = true
      else {
        const paragraph = present()
        if (paragraph === undefined) return
        if (name === 'pStyle') paragraph.style = attribute('val')
        else if (name === 'ilvl') paragraph.list = Number(attribute('val') ?? 0) + 1
        else if (name === 'numId' && attribute('val') !== '0') paragraph.list ??= 1
        else if (name === 'outlineLvl') paragraph.outline = headingLevel(attribute('val'))
      }
    },
    text(text) {
      if (inText && skip === 0) flow.text(text)
    },
    close(name) {
      if (skip > 0) skip--
      else if (name === 't') inText = false
      else if (name === 'p') endParagraph(paragraphs.pop())
      else if (name === 'tc') flow.closeCell(false)
      else if (name === 'tr') {
        flow.closeRow(headerRow)
        headerRow = false
      } else if (name === 'tbl') flow.closeTable()
    },
  })
}

/** Which styles are headings, by their built-in name or their outline level. */
export async function readHeadingStyles(stream: Readable): Promise<Map<string, number>> {
  const styles = new Map<string, number>()
  let id: string | null = null
  await readXml(stream, {
    open(name, attribute) {
      if (name === 'style') id = attribute('type') === 'paragraph' ? attribute('styleId') : null
      else if (id === null) return
      else if (name === 'name') {
        const style = (attribute('val') ?? '').toLowerCase()
        const level = style === 'title' ? 1 : style === 'subtitle' ? 2 : Number(/^heading ([1-9])$/.exec(style)?.[1] ?? 0)
        if (level > 0) styles.set(id, level)
      } else if (name === 'outlineLvl') {
        const level = headingLevel(attribute('val'))
        if (level !== null && !styles.has(id)) styles.set(id, level)
      }
    },
  })
  return styles
}

/** The text of the first element of this local name, e.g. `title` in `docProps/core.xml`. */
export async function readElementText(stream: Readable, element: string): Promise<string | null> {
  let found: string | null = null
  let inside = false
  await readXml(stream, {
    open(name) {
      if (name === element && found === null) {
        inside = true
        found = ''
      }
    },
    text(text) {
      if (inside) found += text
    },
    close(name) {
      if (name === element) inside = false
    },
  })
  return found
}

/** Outline levels count from 0; 9 is body text. */
function headingLevel(value: string | null): number | null {
  const level = Number(value)
  return value !== null && level >= 0 && level < 9 ? level + 1 : null
}

interface Handlers {
  /** Names and attributes come without their namespace's prefix, which a writer may choose. */
  open(name: string, attribute: (name: string) => string | null): void
  text?(text: string): void
  close?(name: string): void
}

async function readXml(stream: Readable, handlers: Handlers): Promise<void> {
  const parser = new SaxesParser()
  let depth = 0
  let failure: unknown = null
  parser.on('error', (error) => (failure ??= error))
  parser.on('doctype', () => (failure ??= new Error('document type declaration')))
  parser.on('opentag', (tag) => {
    if (++depth > MAX_DEPTH) failure ??= new Error(`elements nested more than ${MAX_DEPTH} deep`)
    handlers.open(local(tag.name), (name) => {
      for (const [key, value] of Object.entries(tag.attributes)) if (local(key) === name) return value
      return null
    })
  })
  parser.on('text', (text) => handlers.text?.(text))
  parser.on('cdata', (text) => handlers.text?.(text))
  parser.on('closetag', (tag) => {
    depth--
    handlers.close?.(local(tag.name))
  })
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    parser.write(decoder.decode(chunk as Buffer, { stream: true }))
    if (failure !== null) throw corrupt('The DOCX', failure)
  }
  parser.write(decoder.decode())
  parser.close()
  if (failure !== null) throw corrupt('The DOCX', failure)
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
