import { isDocsearchError } from '../../core/errors.ts'
import { cleanTitle } from '../blocks/page-builder.ts'
import { NUMBERING, PROPERTIES, STYLES, DOCX_XML, readParts } from './parts.ts'
import { type Element, ElementText, readXml } from '../package/xml.ts'
import type { Readable } from 'node:stream'

/** What the paragraphs of a DOCX refer to. */
export interface DocxDefinitions {
  styles: ParagraphStyles
  numbering: Numbering
}

/** Reads the title, the styles and the lists of a DOCX. */
export async function readDefinitions(file: string): Promise<{ title: string | null; definitions: DocxDefinitions }> {
  let title: string | null = null
  const definitions: DocxDefinitions = { styles: new Map(), numbering: emptyNumbering() }
  await readParts(
    file,
    (name) => name === PROPERTIES || STYLES.test(name) || NUMBERING.test(name),
    async (name, part) => {
      try {
        if (name === PROPERTIES) title = await readTitle(part)
        else if (STYLES.test(name)) definitions.styles = await readStyles(part)
        else definitions.numbering = await readNumbering(part)
      } catch (error) {
        // Broken properties are no reason to refuse the document.
        if (!isDocsearchError(error, 'corrupt')) throw error
      }
    },
  )
  return { title, definitions }
}

async function readTitle(properties: Readable): Promise<string | null> {
  const title = new ElementText('title')
  await readXml(properties, DOCX_XML, title)
  return cleanTitle(title.value)
}

/** What a style says about its paragraphs. */
interface ParagraphStyle {
  /** Level of a heading, from 1; 0 for body text. */
  heading: number
  /** Word's ID of the list that the paragraph is an item of, and the depth from 0; null if the list says it. */
  numbering: { id: string; level: number | null } | null
}

/** The styles by Word's ID. */
export type ParagraphStyles = ReadonlyMap<string, ParagraphStyle>

/** A style as the file has it. */
interface StyleEntry {
  name: string
  basedOn: string | null
  outline: number | null
  numbering: { id: string | null; level: number | null } | null
}

/** Styles can be based on one another in a circle. */
const MAX_ANCESTORS = 20
/** Word knows these styles even if the file doesn't define them. */
const BUILT_IN = /^Heading([1-9])$/

/**
 * Reads which paragraph styles are headings and lists. A style says so by its built-in name, its outline level or its numbering, or
 * through the style that it is based on.
 */
async function readStyles(stream: Readable): Promise<ParagraphStyles> {
  const entries = new Map<string, StyleEntry>()
  let style: StyleEntry | null = null
  await readXml(stream, DOCX_XML, {
    open({ name, attribute }) {
      const value = attribute('val')
      if (name === 'style') {
        const id = attribute('type') === 'paragraph' ? attribute('styleId') : null
        style = id === null ? null : { name: '', basedOn: null, outline: null, numbering: null }
        if (id !== null && style !== null) entries.set(id, style)
      } else if (style === null) return
      else if (name === 'name') style.name = (value ?? '').toLowerCase()
      else if (name === 'basedOn') style.basedOn = value
      else if (name === 'outlineLvl') style.outline = headingLevel(value)
      else if (name === 'numPr') style.numbering = { id: null, level: null }
      else if (name === 'numId' && style.numbering !== null) style.numbering.id = value
      else if (name === 'ilvl' && style.numbering !== null) style.numbering.level = levelIndex(value)
    },
  })
  return new Map(
    [...entries].map(([id, { name }]) => {
      const chain = ancestors(id, entries)
      const heading = /^title$/.test(name) ? 1 : name === 'subtitle' ? 2 : firstOf(chain, ownHeading)
      // A style can take the list from the style that it is based on, and only set the depth.
      const list = firstOf(chain, (each) => each.numbering?.id ?? null)
      return [
        id,
        {
          heading: heading ?? 0,
          numbering:
            list === null || list === '0' ? null : { id: list, level: firstOf(chain, (each) => each.numbering?.level ?? null) },
        },
      ]
    }),
  )
}

/** Returns the heading level of a paragraph, 0 for none. */
export function headingOf(styles: ParagraphStyles, style: string | null, outline: number | null): number {
  if (outline !== null) return outline
  if (style === null) return 0
  return styles.get(style)?.heading ?? Number(BUILT_IN.exec(style)?.[1] ?? 0)
}

/** Converts an outline level of Word, where 0 is the highest and 9 is body text. Null if there is none. */
export function headingLevel(value: string | null): number | null {
  const level = Number(value ?? Number.NaN)
  if (!Number.isInteger(level) || level < 0) return null
  return level < 9 ? level + 1 : 0
}

function ownHeading({ name, outline }: StyleEntry): number | null {
  const named = /^heading ([1-9])$/.exec(name)?.[1]
  return named === undefined ? outline : Number(named)
}

/** Returns the style and the styles that it is based on, the nearest first. */
function ancestors(id: string, styles: ReadonlyMap<string, StyleEntry>): StyleEntry[] {
  const chain: StyleEntry[] = []
  for (let next: string | null = id; next !== null && chain.length < MAX_ANCESTORS;) {
    const style = styles.get(next)
    if (style === undefined) break
    chain.push(style)
    next = style.basedOn
  }
  return chain
}

function firstOf<T>(chain: readonly StyleEntry[], read: (style: StyleEntry) => T | null): T | null {
  for (const style of chain) {
    const found = read(style)
    if (found !== null) return found
  }
  return null
}

/** Word has levels 0 to 8. */
export const LEVELS = 9
/** Word counts no further. */
const MAX_NUMBER = 32_767
/** A pattern is a few characters long. */
const MAX_PATTERN_CHARS = 60

/** One level of a list. */
export interface NumberLevel {
  start: number
  /** How the number is written: `decimal`, `upperRoman` and so on. */
  format: string
  /** The text of the number, with `%1` to `%9` for the numbers of the levels. */
  pattern: string
  /** What follows the number. */
  suffix: string
  /** The number counts on until a paragraph has a level below this one; 0 to count on forever. By default, any higher level restarts it. */
  restart: number | null
  /** Numbers of all levels are written in digits. */
  isLegal: boolean
  /** ID of the paragraph style that has this level. */
  style: string | null
}

/** A definition, which several lists share together with their count. */
export interface ListDefinition {
  levels: (NumberLevel | undefined)[]
  /** The numbering style that the definition belongs to. */
  styleLink: string | null
  /** The numbering style that defines this list instead. */
  numStyleLink: string | null
}

/** A list of a document, with what it changes in its definition. */
export interface NumberedList {
  definition: string
  levels: (NumberLevel | undefined)[]
  starts: (number | undefined)[]
}

export interface Numbering {
  definitions: Map<string, ListDefinition>
  lists: Map<string, NumberedList>
}

function emptyNumbering(): Numbering {
  return { definitions: new Map(), lists: new Map() }
}

/** Reads the part of a DOCX that defines its lists. Throws `corrupt`. */
async function readNumbering(stream: Readable): Promise<Numbering> {
  const reader = new NumberingReader()
  await readXml(stream, DOCX_XML, { open: (element) => reader.open(element), close: (name) => reader.close(name) })
  return reader.numbering
}

class NumberingReader {
  readonly numbering = emptyNumbering()
  private definition: ListDefinition | null = null
  private list: NumberedList | null = null
  private level: NumberLevel | null = null
  private override: number | null = null

  open({ name, attribute }: Element): void {
    const value = attribute('val')
    if (name === 'abstractNum') {
      this.definition = { levels: [], styleLink: null, numStyleLink: null }
      this.numbering.definitions.set(attribute('abstractNumId') ?? '', this.definition)
    } else if (name === 'num') {
      this.list = { definition: '', levels: [], starts: [] }
      this.numbering.lists.set(attribute('numId') ?? '', this.list)
    } else if (name === 'abstractNumId' && this.list !== null) this.list.definition = value ?? ''
    else if (name === 'lvlOverride') this.override = levelIndex(attribute('ilvl'))
    else if (name === 'startOverride' && this.list !== null && this.override !== null)
      this.list.starts[this.override] = numberOf(value)
    else if (name === 'lvl') this.openLevel(levelIndex(attribute('ilvl')))
    else if (name === 'styleLink' && this.definition !== null) this.definition.styleLink = value
    else if (name === 'numStyleLink' && this.definition !== null) this.definition.numStyleLink = value
    else if (this.level !== null) readLevelProperty(this.level, name, value)
  }

  close(name: string): void {
    if (name === 'abstractNum') this.definition = null
    else if (name === 'num') this.list = null
    else if (name === 'lvlOverride') this.override = null
    else if (name === 'lvl') this.level = null
  }

  private openLevel(index: number | null): void {
    const levels = (this.list ?? this.definition)?.levels
    if (index === null || levels === undefined) return
    this.level = { start: 0, format: 'decimal', pattern: '', suffix: 'tab', restart: null, isLegal: false, style: null }
    levels[index] = this.level
  }
}

function readLevelProperty(level: NumberLevel, name: string, value: string | null): void {
  if (name === 'start') level.start = numberOf(value)
  else if (name === 'numFmt') level.format = value ?? 'decimal'
  else if (name === 'lvlText') level.pattern = (value ?? '').slice(0, MAX_PATTERN_CHARS)
  else if (name === 'suff') level.suffix = value ?? 'tab'
  else if (name === 'lvlRestart') level.restart = numberOf(value)
  else if (name === 'isLgl') level.isLegal = !/^(?:0|false|off)$/.test(value ?? '')
  else if (name === 'pStyle') level.style = value
}

/** Returns a level from 0 to 8; null for anything else. */
export function levelIndex(value: string | null): number | null {
  const level = Number(value ?? Number.NaN)
  return Number.isInteger(level) && level >= 0 && level < LEVELS ? level : null
}

function numberOf(value: string | null): number {
  const number = Math.trunc(Number(value ?? 0))
  return Number.isNaN(number) ? 0 : Math.min(Math.max(number, 0), MAX_NUMBER)
}
