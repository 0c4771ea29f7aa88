import {
  headingLevel,
  isAroundContent,
  isBlock,
  isCode,
  LISTS,
  readTags,
  type TagReader,
  PREFORMATTED,
  ROWS,
  SECTIONS,
} from './html-parser.ts'
import type { Flow } from '../blocks/flow.ts'
import { cleanTitle } from '../blocks/page-builder.ts'

/** What is read: the page without what its site puts around it, only the main part of that, or all text. */
export type HtmlParts = 'content' | 'main' | 'everything'

export interface HtmlOptions {
  parts?: HtmlParts
  /** Numbers of the tables, in order from 0, that only lay the page out: their cells are parts of the page. */
  layoutTables?: ReadonlySet<number>
  /** Numbers of the elements, in the order of their tags from 0, that the site puts around its pages. */
  siteParts?: ReadonlySet<number>
  /** Marks the text of `<blockquote>` as quoted, as it is in mail. */
  marksQuotes?: boolean
}

/** A shorter description of an image in a link is a logo, or says where the link leads, such as `Next`. */
const MIN_CHARS_IN_LINK = 25
/** A description that only repeats the name of the file. */
const FILE_NAME = /^\S{1,200}\.(?:png|jpe?g|gif|svg|webp|avif|bmp)$/i

export interface HtmlResult {
  /** The `<title>`. */
  title: string | null
  /** The share of the text that is in `<main>`; 0 without one. */
  mainShare: number
}

/**
 * Reads the blocks of an HTML text into `flow`. Takes any depth of nesting: the parser calls back and never recurses. Throws
 * `too_much_text`.
 */
export function readHtml(html: string, flow: Flow, options: HtmlOptions = {}): HtmlResult {
  const reader = new HtmlReader(flow, options)
  readTags(html, reader)
  return reader.result()
}

/** An open element and how many elements of its name are open in it, itself included. */
interface Nested {
  tag: string
  depth: number
}

/** Follows the tags of a page and writes its blocks. */
class HtmlReader implements TagReader {
  private readonly flow: Flow
  private readonly parts: HtmlParts
  private readonly layoutTables: ReadonlySet<number>
  private readonly siteParts: ReadonlySet<number>
  private elementCount = 0
  private title: string | null = null
  private isInTitle = false
  /** The element that is being skipped with all its content. */
  private skipped: Nested | null = null
  /** The main part, while the reader is in it. */
  private main: Nested | null = null
  private readonly chars = { all: 0, main: 0 }
  private openSections = 0
  private openLists = 0
  private openLinks = 0
  private openPreformatted = 0
  /** Level of the open heading, until its text is written. */
  private heading: number | null = null
  /** The open tables, from the outermost. */
  private readonly tables: ('layout' | 'data')[] = []
  private tableCount = 0
  private isInTableHead = false
  private openQuotes = 0
  private readonly marksQuotes: boolean

  constructor(
    flow: Flow,
    { parts = 'content', layoutTables = new Set(), siteParts = new Set(), marksQuotes = false }: HtmlOptions,
  ) {
    this.flow = flow
    this.marksQuotes = marksQuotes
    this.parts = parts
    this.layoutTables = layoutTables
    this.siteParts = siteParts
  }

  openTag(tag: string, attributes: Record<string, string>): void {
    // Skipped tables count too: their numbers come from the whole page.
    const isSitePart = this.siteParts.has(this.elementCount++)
    const tableKind = tag === 'table' && this.layoutTables.has(this.tableCount++) ? 'layout' : 'data'
    if (this.skipped !== null) {
      if (tag === this.skipped.tag) this.skipped.depth++
      return
    }
    if (tag === 'title' && this.title === null) {
      this.isInTitle = true
      return
    }
    const isAround = this.parts !== 'everything' && (isSitePart || isAroundContent(tag, attributes, this.openSections > 0))
    if (isCode(tag) || isAround) {
      this.skipped = { tag, depth: 1 }
      return
    }
    if (SECTIONS.has(tag)) this.openSections++
    if (tag === 'a') this.openLinks++
    if (this.main !== null && tag === this.main.tag) this.main.depth++
    else if (this.main === null && (tag === 'main' || attributes['role'] === 'main')) {
      this.endBlock()
      this.main = { tag, depth: 1 }
    }
    if (this.isRead()) this.openBlock(tag, tableKind)
    if (tag === 'blockquote') this.countQuotes(1)
    if (tag === 'img') this.addDescription(attributes)
  }

  /** Adds the text that stands for an image. */
  private addDescription({ alt = '', role }: Record<string, string>): void {
    const text = alt.trim()
    const isDecoration = role === 'presentation' || role === 'none' || FILE_NAME.test(text)
    if (!isDecoration && text.length >= (this.openLinks > 0 ? MIN_CHARS_IN_LINK : 1)) this.addText(` ${text} `)
  }

  addText(text: string): void {
    if (this.isInTitle) this.title = (this.title ?? '') + text
    else if (this.skipped === null) {
      const { length } = text.trim()
      this.chars.all += length
      if (this.main !== null) this.chars.main += length
      if (this.isRead()) this.flow.text(this.openPreformatted > 0 ? text : text.replace(/\s+/g, ' '))
    }
  }

  closeTag(tag: string): void {
    if (tag === 'title' && this.isInTitle) {
      this.isInTitle = false
      return
    }
    if (this.skipped !== null) {
      if (tag === this.skipped.tag && --this.skipped.depth === 0) this.skipped = null
      return
    }
    if (SECTIONS.has(tag)) this.openSections = Math.max(0, this.openSections - 1)
    if (tag === 'a') this.openLinks = Math.max(0, this.openLinks - 1)
    if (this.isRead()) this.closeBlock(tag)
    if (tag === 'blockquote') this.countQuotes(-1)
    if (this.main !== null && tag === this.main.tag && --this.main.depth === 0) this.main = null
  }

  result(): HtmlResult {
    return {
      title: cleanTitle(this.title),
      mainShare: this.chars.all === 0 ? 0 : this.chars.main / this.chars.all,
    }
  }

  private countQuotes(change: 1 | -1): void {
    this.openQuotes = Math.max(0, this.openQuotes + change)
    this.flow.isQuoted = this.marksQuotes && this.openQuotes > 0
  }

  private isRead(): boolean {
    return this.parts !== 'main' || this.main !== null
  }

  private openBlock(tag: string, tableKind: 'layout' | 'data'): void {
    if (tag === 'br') this.flow.text('\n')
    // Nothing else separates a label from the label or field after it.
    else if (tag === 'label') this.flow.text(' ')
    else if (tag === 'table') {
      this.endBlock()
      this.tables.push(tableKind)
      if (tableKind === 'data') this.flow.openTable()
    } else if (ROWS.has(tag) && this.tables.at(-1) === 'data') {
      // This also ends a row that was not closed.
      this.flow.endCaption()
      this.flow.closeRow(this.isInTableHead)
      if (tag !== 'tr') this.isInTableHead = tag === 'thead'
    } else if (headingLevel(tag) !== undefined || isBlock(tag)) {
      if (headingLevel(tag) !== undefined) this.endPreformatted()
      this.endBlock()
      this.heading = headingLevel(tag) ?? this.heading
      if (LISTS.has(tag)) this.openLists++
    } else if (PREFORMATTED.has(tag)) {
      this.endBlock()
      this.openPreformatted++
    }
  }

  private closeBlock(tag: string): void {
    if (tag === 'label') this.flow.text(' ')
    else if (headingLevel(tag) !== undefined) {
      this.endBlock()
      this.heading = null
    } else if (PREFORMATTED.has(tag)) {
      if (this.openPreformatted === 1) this.endPreformatted()
      else this.openPreformatted = Math.max(0, this.openPreformatted - 1)
    } else if (!this.closeTablePart(tag) && isBlock(tag)) {
      this.endBlock()
      if (LISTS.has(tag)) this.openLists = Math.max(0, this.openLists - 1)
    }
  }

  /** Returns whether the tag belongs to a table of data, or is a part of a table at all. */
  private closeTablePart(tag: string): boolean {
    const isLayout = this.tables.at(-1) === 'layout'
    switch (tag) {
      case 'td':
      case 'th':
        if (isLayout) this.endBlock()
        else this.flow.closeCell(tag === 'th')
        return true
      case 'tr':
        if (!isLayout) this.flow.closeRow(this.isInTableHead)
        return true
      case 'thead':
        this.isInTableHead = false
        return true
      case 'caption':
        if (!isLayout) this.flow.endCaption()
        return !isLayout
      case 'table':
        if (this.tables.pop() === 'layout') this.endBlock()
        else this.flow.closeTable()
        return true
      default:
        return false
    }
  }

  private endBlock(): void {
    if (this.heading !== null) {
      // A heading that was not closed ends with its first block.
      if (this.flow.end('heading', this.heading)) this.heading = null
    } else if (this.openPreformatted > 0) this.flow.newLine()
    else if (this.openLists > 0) this.flow.end('list_item', this.openLists)
    else this.flow.end('paragraph')
  }

  private endPreformatted(): void {
    if (this.openPreformatted > 0) this.flow.end('code')
    this.openPreformatted = 0
  }
}
