import { cleanText, PageBuilder, collapse } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/decode.ts'
import type { Parser } from '../parser.ts'

const MAX_LEVEL = 6
const ITEM = /^(?:[-*+•]|(?:\d{1,4}|#|[a-zA-Z])[.)]|\((?:\d{1,4}|#|[a-zA-Z])\))[ \t]+(?=\S)/
const DIRECTIVE = /^\.\. +(?:\|[^|\n]{1,100}\| +)?([\w:+.-]{1,60}?):: *(.*)$/
/** Directives whose content is code or data. */
const VERBATIM =
  /^(?:code|code-block|sourcecode|parsed-literal|literalinclude|math|prompt|ipython|doctest|testcode|productionlist|console)$/
/** Directives that add nothing to the printed page. */
const SILENT =
  /^(?:toctree|contents|include|raw|index|highlight|default-role|role|currentmodule|module|sectnum|meta|autoclass|automodule|autofunction|autosummary|target-notes|header|footer|class|only|tabularcolumns|testsetup|unicode|replace)$/
const TABLE_RULE = /^ *\+(?:[-=]+\+)+ *$/
const SIMPLE_RULE = /^ *={2,}(?: +={2,})+ *$/
const FIELD = /^:(?![\s:])([^:\n]{1,80}):(?:[ \t]+|$)/

/** Reads reStructuredText as a reader of the page sees it. Nothing is included, and no directive runs. */
export const parseRst: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = await readTextFile(file, limits)
  const reader = new RstReader(cleanText(text))
  output.open(1)
  output.page(reader.read())
  return { title: reader.title, pageCount: 1, warnings: [], facts: { engine: 'rst', encoding, confidence } }
}

class RstReader {
  title: string | null = null
  private readonly lines: RstLines
  private readonly page = new PageBuilder(1)
  /** The styles of the headings, from the highest level on. */
  private readonly styles: string[] = []
  private tables = 0

  constructor(text: string) {
    this.lines = new RstLines(text)
  }

  read() {
    const { lines } = this
    while (!lines.isAtEnd) {
      if (lines.isBlank(0)) lines.skip(1)
      else if (!this.readHeading() && !this.readExplicit() && !this.readTable()) this.readText()
    }
    return this.page.build()
  }

  private readHeading(): boolean {
    const { lines } = this
    const [first, second, third] = [lines.at(0), lines.at(1), lines.at(2)]
    const over = isRstUnderline(first) && third.trimEnd() === first.trimEnd() && second.trim() !== ''
    const text = over ? second.trim() : first.trimEnd()
    const rule = over ? first : second
    const isHeading =
      over ||
      (isRstUnderline(rule) && /^\S/.test(text) && !isRstUnderline(first) && rule.trimEnd().length >= Math.min(text.length, 4))
    if (isHeading) {
      const style = `${over ? 'over' : ''}${rule[0]}`
      if (!this.styles.includes(style)) this.styles.push(style)
      const heading = plainRst(text)
      const level = Math.min(this.styles.indexOf(style) + 1, MAX_LEVEL)
      this.page.add('heading', heading, { level })
      if (level === 1) this.title ??= heading || null
      lines.skip(over ? 3 : 2)
      return true
    }
    if (!isRstUnderline(first)) return false
    // A rule between paragraphs.
    lines.skip(1)
    return true
  }

  /** Reads a directive, a comment, a footnote or the target of a link. */
  private readExplicit(): boolean {
    const { lines } = this
    const line = lines.at(0).trimStart()
    if (!/^\.\.(?:[ \t]|$)/.test(line)) return false
    const indent = lines.indentOf(0)
    const [, name = '', argument = ''] = DIRECTIVE.exec(line) ?? []
    const note = endOfNoteMarks(line)
    lines.skip(1)
    if (note > 0) {
      lines.replacePrevious(line.slice(note), indent)
      return true
    }
    if (name === '' || SILENT.test(name)) {
      lines.takeIndented(indent)
      return true
    }
    if (VERBATIM.test(name)) {
      const body = lines.takeIndented(indent)
      const firstLine = body.findIndex((text) => !FIELD.test(text.trim()))
      const code = firstLine < 0 ? [] : body.slice(firstLine)
      this.addCode(name === 'math' ? [argument, ...code] : code)
      return true
    }
    // Options of directives, such as the width of an image. Their content is read like other text.
    while (FIELD.test(lines.at(0).trim()) && lines.indentOf(0) > indent) {
      const [, field = ''] = FIELD.exec(lines.at(0).trim()) ?? []
      if (field === 'alt') this.page.add('paragraph', plainRst(lines.at(0).trim().slice(':alt:'.length)))
      lines.skip(1)
    }
    if (!/^(?:image|figure)$/.test(name)) this.page.add('paragraph', plainRst(argument))
    if (/^(?:csv-table|list-table)$/.test(name)) this.tables++
    return true
  }

  private readTable(): boolean {
    const { lines } = this
    const isGrid = TABLE_RULE.test(lines.at(0))
    if (!isGrid && !SIMPLE_RULE.test(lines.at(0))) return false
    const rows = isGrid ? lines.takeWhile((line) => /^ *[+|]/.test(line)) : lines.takeSimpleTable()
    this.tables++
    let isHeader =
      rows.some((row) => (isGrid ? /^ *\+=/.test(row) : false)) ||
      (!isGrid && rows.filter((row) => SIMPLE_RULE.test(row)).length > 2)
    let cells: string[] = []
    const columns = isGrid ? [] : columnsOf(rows[0]!)
    const flush = (): void => {
      if (cells.some((cell) => cell.trim() !== '')) {
        const text = cells.map((cell) => plainRst(cell.trim())).join(' | ')
        this.page.add('table_row', text, { table: this.tables, ...(isHeader && { header: true }) })
      }
      cells = []
    }
    for (const row of rows) {
      const isRule = isGrid ? /^ *\+[-=+]/.test(row) : SIMPLE_RULE.test(row)
      if (isRule) {
        const hadCells = cells.length > 0
        flush()
        if (hadCells) isHeader = false
        continue
      }
      const parts = isGrid
        ? row
            .trim()
            .replace(/^\||\|$/g, '')
            .split('|')
        : columns.map(([from, to]) => row.slice(from, to))
      // A row of a simple table has one line, unless its first cell is empty.
      if (!isGrid && !isHeader && (parts[0] ?? '').trim() !== '') flush()
      parts.forEach((part, column) => (cells[column] = `${cells[column] ?? ''} ${part.trim()}`))
    }
    flush()
    return true
  }

  private readText(): void {
    const { lines } = this
    const indent = lines.indentOf(0)
    const first = lines.at(0).trimStart()
    if (/^(?:>>>|\|[ \t])/.test(first)) {
      const body = lines.takeWhile((line) => line.trim() !== '')
      if (first.startsWith('>>>')) this.addCode(body)
      else this.page.add('paragraph', plainRst(body.map((line) => line.trim().replace(/^\|[ \t]?/, '')).join('\n')))
      return
    }
    const mark = ITEM.exec(first)?.[0] ?? ''
    const [begin, ...rest] = lines.takeParagraph()
    const source = [begin!.trimStart().slice(mark.length), ...rest.map((line) => line.trim())].join('\n')
    const isBeforeCode = /::\s*$/.test(source)
    const text = plainRst(source.replace(/(^|\s)::\s*$/, '').replace(/::\s*$/, ':'))
    if (mark !== '') this.page.add('list_item', mark + text, { level: Math.min(1 + Math.floor(indent / 2), MAX_LEVEL) })
    else this.page.add('paragraph', text)
    if (isBeforeCode) this.addCode(lines.takeIndented(indent + (mark === '' ? 0 : 1)))
  }

  private addCode(lines: readonly string[]): void {
    const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
    const indent = indents.reduce((least, one) => Math.min(least, one), Infinity)
    this.page.add(
      'code',
      lines
        .map((line) => line.slice(Number.isFinite(indent) ? indent : 0))
        .join('\n')
        .replace(/^\n+/, '')
        .trimEnd(),
    )
  }
}

/** Returns where the text of a footnote begins, after one or more marks. Returns 0 for any other line. */
function endOfNoteMarks(line: string): number {
  const mark = /\.\. +\[[^\]\n]{1,80}\][ \t]+/y
  let end = 0
  while (mark.test(line)) end = mark.lastIndex
  return end
}

function columnsOf(rule: string): [number, number][] {
  const columns = [...rule.matchAll(/=+/g)].map(({ index }) => index)
  return columns.map((from, at) => [from, columns[at + 1] ?? Infinity])
}

/** Returns the text of a paragraph without its marks: emphasis, roles, the targets of links, substitutions, references to notes. */
export function plainRst(source: string): string {
  const text = source
    // Roles and interpreted text: :func:`name`, :ref:`text <target>`, `text <target>`_.
    .replace(
      /(?::[\w:+.-]{1,60}:)?(?<!`)`(?!`)([^`]{1,2000})`(?!`)(?::[\w:+.-]{1,60}:)?_{0,2}/g,
      (_, inner: string) => withoutTarget(inner).replace(/^[~!]/, '') || inner,
    )
    .replace(/``([^`]{1,2000}(?:`[^`]{1,2000})?)``/g, '$1')
    .replace(/\*\*(?=\S)([^*]{1,2000}?)\*\*/g, '$1')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]{1,2000}?)\*(?!\w)/g, '$1')
    .replace(/\|(?=\S)([^|\n]{1,100})(?<=\S)\|_{0,2}/g, '$1')
    .replace(/ ?\[[#*\w-]{1,60}\]_(?!\w)/g, '')
    .replace(/(?<=\w)__?(?![\w_])/g, '')
    .replace(/\\(.)/g, (_, character: string) => (/\s/.test(character) ? '' : character))
  return collapse(text).replace(/\n/g, ' ')
}

/** Returns `text` of `text <target>`. */
function withoutTarget(source: string): string {
  const target = /<[^<>]{1,500}>\s*$/.exec(source)
  return target === null ? source : source.slice(0, target.index).trimEnd()
}

/** True for a line of one kind of punctuation, which underlines a heading. */
function isRstUnderline(line: string): boolean {
  const text = line.trimEnd()
  return (
    text.length >= 3 && /[!-/:-@[-`{-~]/.test(text.charAt(0)) && text === text.charAt(0).repeat(text.length) && text !== '...'
  )
}

/** The lines of a text, read from the first to the last. */
class RstLines {
  private readonly lines: string[]
  private index = 0

  constructor(text: string) {
    this.lines = text.split('\n').map((line) => line.replaceAll('\t', '        '))
  }

  get isAtEnd(): boolean {
    return this.index >= this.lines.length
  }

  /** Returns a line counted from the current one. */
  at(offset: number): string {
    return this.lines[this.index + offset] ?? ''
  }

  isBlank(offset: number): boolean {
    return this.at(offset).trim() === ''
  }

  indentOf(offset: number): number {
    const line = this.at(offset)
    return line.length - line.trimStart().length
  }

  skip(count: number): void {
    this.index += count
  }

  /** Replaces the previous line with a text, which becomes the next line. */
  replacePrevious(text: string, indent: number): void {
    this.index--
    this.lines[this.index] = ' '.repeat(indent) + text
  }

  takeWhile(isWanted: (line: string) => boolean): string[] {
    const from = this.index
    while (!this.isAtEnd && isWanted(this.at(0))) this.index++
    return this.lines.slice(from, this.index)
  }

  /** Takes the lines that are blank or indented more. */
  takeIndented(indent: number): string[] {
    const from = this.index
    while (!this.isAtEnd && (this.isBlank(0) || this.indentOf(0) > indent)) this.index++
    return this.lines.slice(from, this.index)
  }

  /** Takes the lines up to a blank one, or up to one that is indented less. A list item takes lines that are indented more. */
  takeParagraph(): string[] {
    const from = this.index
    const indent = this.indentOf(0)
    this.index++
    while (!this.isAtEnd && !this.isBlank(0) && this.indentOf(0) >= indent && !isItem(this.at(0))) this.index++
    return this.lines.slice(from, this.index)
  }

  /** Takes the lines up to the rule that a blank line or the end of the text follows. */
  takeSimpleTable(): string[] {
    const from = this.index
    let rules = 0
    while (!this.isAtEnd) {
      const isRule = /^ *==[ =]*$/.test(this.at(0))
      if (isRule) rules++
      this.index++
      if (isRule && rules > 1 && this.isBlank(0)) break
    }
    return this.lines.slice(from, this.index)
  }
}

function isItem(line: string): boolean {
  return /^\s*(?:[-*+]|(?:\d{1,4}|#)[.)])[ \t]+\S/.test(line)
}
