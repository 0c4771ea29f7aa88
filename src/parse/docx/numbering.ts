import type { Readable } from 'node:stream'
import { type Element, readXml } from '../package/xml.ts'
import { DOCX_XML } from './zip.ts'

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

export function emptyNumbering(): Numbering {
  return { definitions: new Map(), lists: new Map() }
}

/** Reads the part of a DOCX that defines its lists. Throws `corrupt`. */
export async function readNumbering(stream: Readable): Promise<Numbering> {
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
