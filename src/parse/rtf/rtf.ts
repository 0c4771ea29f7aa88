import { readFile } from 'node:fs/promises'
import { Flow, writeFlow, PAGE_BREAK } from '../blocks/flow.ts'
import { cleanTitle } from '../blocks/page-builder.ts'
import { corrupt } from '../failures.ts'
import { readHtml } from '../html/read-html.ts'
import type { Parser } from '../parser.ts'
import { beginsAsRtf } from '../sniff/begins-as.ts'
import { readTokens, CHARACTERS, type Use, useOf, type TokenSink } from './tokens.ts'
import { codePageDecoder, codePageOfCharset } from './code-pages.ts'

/** Reads Rich Text Format: paragraphs, headings, lists and tables. Notes, comments, headers and footers follow the text. */
export const parseRtf: Parser = async ({ file, limits }, output) => {
  const bytes = await readFile(file)
  if (!beginsAsRtf(bytes)) throw corrupt('The RTF file')
  const { flow, title, isHtml } = readRtf(bytes, { chars: limits.textBytes, pages: limits.pages })
  const { pageCount, firstHeading } = writeFlow(flow, output)
  const heading = firstHeading?.level === 1 ? firstHeading.text : null
  return { title: title ?? heading, pageCount, warnings: [], facts: { engine: 'rtf', ...(isHtml && { html: true }) } }
}

/** Reads RTF, or the HTML that Outlook wrapped in it, into a flow. Throws `too_much_text`, `too_many_pages`. */
export function readRtf(
  bytes: Uint8Array,
  max: { chars: number; pages: number },
): { flow: Flow; title: string | null; isHtml: boolean } {
  const { flow, reader } = readAll(bytes, max)
  const title = cleanTitle(reader.title)
  if (reader.html === null) return { flow, title, isHtml: false }
  const page = new Flow(max)
  const result = readHtml(reader.html, page)
  return { flow: page, title: title ?? result.title, isHtml: true }
}

/** Reads the body of a message: the HTML that Outlook wrapped, or else the text. Throws `too_much_text`, `too_many_pages`. */
export function readRtfBody(bytes: Uint8Array, max: { chars: number; pages: number }): { text: string } | { html: string } {
  const { flow, reader } = readAll(bytes, max)
  if (reader.html !== null) return { html: reader.html }
  return {
    text: flow
      .build()
      .map((page) => page.text)
      .join('\n\n'),
  }
}

function readAll(bytes: Uint8Array, max: { chars: number; pages: number }): { flow: Flow; reader: RtfReader } {
  const flow = new Flow(max, { hasMarks: true })
  const reader = new RtfReader(bytes, flow)
  readTokens(bytes, reader)
  reader.finish()
  return { flow, reader }
}

const DEFAULT_CODE_PAGE = 1252
const CODE_PAGES: Readonly<Record<string, number>> = { ansi: 1252, mac: 10_000, pc: 437, pca: 850 }
const MAX_HEADING_LEVEL = 6
const MAX_ASIDE_CHARS = 1_000_000
const HEADING_NAME = /^\s*heading ([1-9])\b/i

/** What a group inherits. A group shares the state of the one around it until it changes something. */
interface State {
  use: Use
  font: number
  codePage: number
  isHidden: boolean
  /** How many characters after `\u` stand for the same character in programs that don't know Unicode. */
  alternatives: number
  /** In a group that is not part of Outlook's HTML. */
  isOnlyRtf: boolean
}

interface Paragraph {
  inTable: boolean
  /** From the paragraph itself or from its style; null for text. */
  heading: number | null
  item: number | null
}

const PLAIN: Paragraph = { inTable: false, heading: null, item: null }

/** Takes the tokens of an RTF file and writes its text to a flow. */
class RtfReader implements TokenSink {
  title = ''
  /** The HTML that Outlook wrapped; null in other files. */
  html: string | null = null
  private readonly flow: Flow
  private readonly file: Uint8Array
  private readonly fonts = new Map<number, number>()
  private readonly styles = new Map<number, number>()
  private readonly stack: State[] = []
  private state: State = {
    use: 'body',
    font: -1,
    codePage: DEFAULT_CODE_PAGE,
    isHidden: false,
    alternatives: 1,
    isOnlyRtf: false,
  }
  private codePage = DEFAULT_CODE_PAGE
  private paragraph: Paragraph = PLAIN
  private isTableOpen = false
  private isRowClosed = false
  /** The notes, comments, headers and footers. */
  private asides = ''
  private isGroupNew = false
  private isOptional = false
  /** Characters that repeat the last Unicode character. */
  private skipped = 0
  /** Bytes that wait for those that follow them, because two bytes can be one character. */
  private pending = Buffer.alloc(1024)
  private pendingLength = 0
  private styleNumber = 0
  private styleText = ''
  private fontNumber = 0

  constructor(file: Uint8Array, flow: Flow) {
    this.file = file
    this.flow = flow
  }

  open(): void {
    this.flush()
    this.skipped = 0
    this.stack.push(this.state)
    this.isGroupNew = true
    this.isOptional = false
  }

  close(): void {
    this.flush()
    this.skipped = 0
    this.isGroupNew = false
    const { use } = this.state
    const outer = this.stack.pop()
    if (outer === undefined) return
    if (use === 'styles') this.endStyle()
    if (use === 'aside' && outer.use !== 'aside') this.asides += '\n'
    this.state = outer
  }

  bytes(from: number, to: number): void {
    this.isGroupNew = false
    const start = Math.min(to, from + this.skipped)
    this.skipped -= start - from
    if (start < to && this.isRead()) this.keep(this.file.subarray(start, to))
  }

  byte(value: number): void {
    this.isGroupNew = false
    if (this.skipped > 0) this.skipped--
    else if (this.isRead()) this.keep(Uint8Array.of(value))
  }

  control(word: string, value: number | null): void {
    if (word === '*') {
      this.isOptional = true
      return
    }
    this.flush()
    const isFirst = this.isGroupNew
    this.isGroupNew = false
    if (this.state.use === 'skip') return
    if (isFirst) {
      const use = useOf(word, this.isOptional)
      this.isOptional = false
      // Text boxes within a note stay with the note.
      if (use !== null) return this.change({ use: use === 'mark' && this.state.use === 'aside' ? 'aside' : use })
    }
    if (this.skipped > 0 && word !== 'u') {
      const character = CHARACTERS[word]
      if (character !== undefined) {
        this.skipped--
        return
      }
    }
    if (!this.setState(word, value) && !this.setParagraph(word, value)) this.addControl(word)
  }

  /** Writes the remaining text, and the notes after it. */
  finish(): void {
    this.flush()
    this.endParagraph()
    this.closeTable()
    this.paragraph = PLAIN
    for (const aside of this.asides.split('\n')) {
      this.flow.text(aside)
      this.flow.end('paragraph')
    }
  }

  private isRead(): boolean {
    return this.state.use !== 'skip' && !this.state.isHidden
  }

  private change(change: Partial<State>): void {
    this.state = { ...this.state, ...change }
  }

  /** Applies a word about characters, fonts and styles. Returns false for other words. */
  private setState(word: string, value: number | null): boolean {
    switch (word) {
      case 'ansi':
      case 'mac':
      case 'pc':
      case 'pca':
        this.setCodePage(CODE_PAGES[word]!)
        return true
      case 'ansicpg':
        if (value !== null && value > 0) this.setCodePage(value)
        return true
      case 'f':
        if (this.state.use === 'fonts') this.fontNumber = value ?? 0
        else this.change({ font: value ?? 0, codePage: this.fonts.get(value ?? 0) ?? this.codePage })
        return true
      case 'fcharset': {
        const codePage = codePageOfCharset(value ?? 0)
        if (this.state.use === 'fonts' && codePage !== null) this.fonts.set(this.fontNumber, codePage)
        return true
      }
      case 'cpg':
        if (this.state.use === 'fonts' && value !== null) this.fonts.set(this.fontNumber, value)
        return true
      case 'plain':
        this.change({ codePage: this.codePage, isHidden: false })
        return true
      case 'v':
      case 'deleted':
        this.change({ isHidden: value !== 0 })
        return true
      case 'uc':
        this.change({ alternatives: Math.min(Math.max(value ?? 1, 0), 10) })
        return true
      case 'u':
        this.addUnicode(value ?? 0)
        return true
      case 'fromhtml':
        if (value !== 0) this.html ??= ''
        return true
      case 'htmlrtf':
        this.change({ isOnlyRtf: value !== 0 })
        return true
      default:
        return false
    }
  }

  private setCodePage(codePage: number): void {
    this.codePage = codePage
    this.change({ codePage })
  }

  /** Applies a word about paragraphs and tables. Returns false for other words. */
  private setParagraph(word: string, value: number | null): boolean {
    if (this.state.use === 'styles') return this.setStyle(word, value)
    switch (word) {
      case 'pard':
        this.paragraph = PLAIN
        return true
      case 'intbl':
        this.paragraph = { ...this.paragraph, inTable: true }
        return true
      case 's':
        this.paragraph = { ...this.paragraph, heading: this.styles.get(value ?? 0) ?? null }
        return true
      case 'outlinelevel':
        this.paragraph = { ...this.paragraph, heading: levelOf(value) }
        return true
      case 'ls':
        this.paragraph = { ...this.paragraph, item: this.paragraph.item ?? 1 }
        return true
      case 'ilvl':
        this.paragraph = { ...this.paragraph, item: (value ?? 0) + 1 }
        return true
      case 'trowd':
        if (this.state.use === 'body' && !this.isTableOpen) this.openTable()
        this.isRowClosed = false
        return true
      default:
        return false
    }
  }

  private setStyle(word: string, value: number | null): boolean {
    if (word === 's') this.styleNumber = value ?? 0
    else if (word === 'outlinelevel' && levelOf(value) !== null) this.styles.set(this.styleNumber, levelOf(value)!)
    return true
  }

  /** A group of the style sheet ends with the name of the style. */
  private endStyle(): void {
    const level = HEADING_NAME.exec(this.styleText)?.[1]
    if (level !== undefined) this.styles.set(this.styleNumber, Math.min(Number(level), MAX_HEADING_LEVEL))
    this.styleText = ''
    this.styleNumber = 0
  }

  private addControl(word: string): void {
    const character = CHARACTERS[word]
    if (character !== undefined) this.add(character)
    else if (word === 'line' || word === 'softline') this.add('\n')
    else if (word === 'par') this.endParagraph()
    else if (word === 'sect') this.endParagraph()
    else if (this.state.use !== 'body') return
    else if (word === 'page') {
      if (!this.isTableOpen) this.add(PAGE_BREAK)
    } else if (word === 'cell') this.endCell()
    else if (word === 'nestcell' || word === 'nestrow') this.add('\n')
    else if (word === 'row') this.endRow()
  }

  private addUnicode(value: number): void {
    this.add(String.fromCharCode(value & 0xffff))
    this.skipped = this.state.alternatives
  }

  private keep(bytes: Uint8Array): void {
    const length = this.pendingLength + bytes.length
    if (length > this.pending.length) this.pending = Buffer.concat([this.pending.subarray(0, this.pendingLength)], length * 2)
    this.pending.set(bytes, this.pendingLength)
    this.pendingLength = length
  }

  private flush(): void {
    if (this.pendingLength === 0) return
    const bytes = this.pending.subarray(0, this.pendingLength)
    this.pendingLength = 0
    this.add(codePageDecoder(this.state.codePage).decode(bytes))
  }

  private add(text: string): void {
    const { use, isHidden, isOnlyRtf } = this.state
    if (isHidden) return
    if (use === 'title') this.title += text
    else if (use === 'styles') this.styleText += text
    else if (use === 'aside') {
      if (this.asides.length < MAX_ASIDE_CHARS) this.asides += text
    } else if (use === 'html' && this.html !== null) this.html += text
    else if (use === 'body' || use === 'mark') {
      if (this.html !== null) {
        if (!isOnlyRtf && use === 'body') this.html += escapeHtml(text)
        return
      }
      this.leaveTable()
      if (use === 'mark') this.paragraph = { ...this.paragraph, item: this.paragraph.item ?? 1 }
      this.flow.text(text)
    }
  }

  private endParagraph(): void {
    const { use, isOnlyRtf } = this.state
    if (use === 'aside') this.asides += '\n'
    if (this.html !== null && !isOnlyRtf && (use === 'body' || use === 'html')) this.html += '\n'
    if (use !== 'body' || this.html !== null) return
    const { heading, item } = this.paragraph
    if (heading !== null) this.flow.end('heading', heading)
    else if (item !== null) this.flow.end('list_item', item)
    else this.flow.end('paragraph')
  }

  private openTable(): void {
    this.endParagraph()
    this.flow.openTable()
    this.isTableOpen = true
  }

  /** A paragraph after a row that is not marked as part of a table ends the table. */
  private leaveTable(): void {
    if (this.isTableOpen && this.isRowClosed && !this.paragraph.inTable) this.closeTable()
    else if (!this.isTableOpen && this.paragraph.inTable) this.openTable()
  }

  private closeTable(): void {
    if (this.isTableOpen) this.flow.closeTable()
    this.isTableOpen = false
    this.isRowClosed = false
  }

  private endCell(): void {
    if (!this.isTableOpen) this.openTable()
    this.isRowClosed = false
    this.flow.closeCell(false)
  }

  private endRow(): void {
    if (!this.isTableOpen) return
    this.flow.closeRow()
    this.isRowClosed = true
  }
}

function levelOf(value: number | null): number | null {
  return value === null || value < 0 || value > 8 ? null : Math.min(value + 1, MAX_HEADING_LEVEL)
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
