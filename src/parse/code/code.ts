import type { Block, Page } from '../../core/parsed.ts'
import { cleanText, MAX_BLOCKS } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/decode.ts'
import type { Parser } from '../parser.ts'
import type { Syntax, Definition } from './language.ts'
import { languageOf } from './languages.ts'

/** A longer definition is divided at blank lines into blocks of at least `MIN_PART_CHARS`. */
const MAX_BLOCK_CHARS = 3_000
const MIN_PART_CHARS = 1_200
const UNKNOWN: Syntax = {}

/** Reads source code as it is, line by line. Functions, classes and keys become sections, with the comments above them. */
export const parseCode: Parser = async ({ file, name = '', limits }, output) => {
  const { text: raw, encoding, confidence } = await readTextFile(file, limits)
  const text = cleanText(raw).trimEnd()
  const language = languageOf(name, text.slice(0, 300))
  output.open(1)
  output.page(codePage(text, language ?? UNKNOWN))
  const facts = { engine: 'code', encoding, confidence, ...(language && { language: language.name }) }
  return { title: null, pageCount: 1, warnings: [], facts }
}

function codePage(text: string, language: Syntax): Page {
  const lines = sourceLines(text, language)
  const sections = outlineOf(text, lines, language)
  const blocks: Block[] = []
  let from = 0
  let section: Block['section']
  for (const next of [...sections, { line: lines.length, level: 1, title: '' }]) {
    addBlocks(blocks, text, lines, [from, next.line], section)
    from = next.line
    section = { level: next.level, title: next.title }
  }
  return { number: 1, text, blocks }
}

/** Adds the blocks of some lines. The first one begins the section. */
function addBlocks(
  blocks: Block[],
  text: string,
  lines: readonly SourceLine[],
  [from, to]: [number, number],
  section: Block['section'],
): void {
  const isBlank = (index: number) => lines[index]!.first === lines[index]!.end
  let own = section
  const add = (first: number, last: number): void => {
    while (first <= last && isBlank(first)) first++
    while (last >= first && isBlank(last)) last--
    if (first > last) return
    const { start } = lines[first]!
    const end = start + text.slice(start, lines[last]!.end).trimEnd().length
    if (blocks.length < MAX_BLOCKS) blocks.push({ kind: 'code', start, end, ...(own && { section: own }) })
    else blocks.at(-1)!.end = end
    own = undefined
  }
  if (from >= to) return
  let first = from
  if (lines[to - 1]!.end - lines[from]!.start > MAX_BLOCK_CHARS) {
    for (let index = from + 1; index < to; index++) {
      if (!isBlank(index) || lines[index]!.start - lines[first]!.start < MIN_PART_CHARS) continue
      add(first, index - 1)
      first = index
    }
  }
  add(first, to - 1)
}

/** How many lines after its name a function may have before its body begins. */
const MAX_SIGNATURE_LINES = 12
const MAX_TITLE_CHARS = 120
/** The type of a function can be on the line above its name. */
const TYPE_ALONE = /^[A-Za-z_][\w \t*&:<>,]*$/

/** A part of source code that begins at a line: a definition, or the text after the end of one. */
interface Section {
  /** Index of its first line. */
  line: number
  /** Depth from 1. */
  level: number
  /** Empty for what follows a definition. */
  title: string
}

interface Open {
  indent: number
  isContainer: boolean
  /** The column of its members; null before the first one. */
  memberIndent: number | null
}

/**
 * Finds the definitions of source code by their first lines, and their ends by the indentation: a definition ends before the next line that is not
 * indented more. So code with unbalanced brackets, or that doesn't compile, still has an outline.
 */
export function outlineOf(text: string, lines: readonly SourceLine[], language: Syntax): Section[] {
  return new Outline(text, lines, language).read()
}

class Outline {
  private readonly text: string
  private readonly lines: readonly SourceLine[]
  private readonly language: Syntax
  private readonly open: Open[] = []
  private readonly sections: Section[] = []

  constructor(text: string, lines: readonly SourceLine[], language: Syntax) {
    this.text = text
    this.lines = lines
    this.language = language
  }

  read(): Section[] {
    const { lines, language } = this
    if (language.definitions === undefined) return []
    for (const [index, line] of lines.entries()) {
      if (line.isInside || line.isComment || line.first === line.end) continue
      const code = this.text.slice(line.first, Math.min(line.end, line.first + MAX_LINE_CHARS))
      if (language.decorator?.test(code) === true) continue
      if (language.continuation?.test(code) === true) continue
      this.readLine(index, line, code)
    }
    return this.sections
  }

  private readLine(index: number, line: SourceLine, code: string): void {
    const depth = this.open.length
    if (this.language.isFlat !== true) while ((this.open.at(-1)?.indent ?? -1) >= line.indent) this.open.pop()
    const found = this.definitionAt(index, line, code)
    if (found !== null) {
      if (this.language.isFlat === true) this.open.pop()
      this.begin(index, found.title)
      this.open.push({ indent: line.indent, isContainer: found.definition.isContainer === true, memberIndent: null })
    } else if (this.open.length < depth) this.begin(index, '')
  }

  private begin(index: number, title: string): void {
    const line = this.above(index)
    const last = this.sections.at(-1)
    // The type of a function on a line of its own looked like code after the definition before.
    if (last !== undefined && last.line >= line && last.title === '') this.sections.pop()
    this.sections.push({ line, level: this.open.length + 1, title })
  }

  private definitionAt(index: number, line: SourceLine, code: string): { definition: Definition; title: string } | null {
    const parent = this.language.isFlat === true ? undefined : this.open.at(-1)
    if (parent !== undefined) {
      if (!parent.isContainer) return null
      parent.memberIndent ??= line.indent
      if (line.indent !== parent.memberIndent) return null
    }
    for (const definition of this.language.definitions!) {
      if (parent === undefined ? definition.isMember : definition.isOutermost) continue
      const groups = definition.pattern.exec(code)?.groups
      if (groups === undefined || (definition.needsBody === true && !this.hasBody(index))) continue
      const title = [groups['kind'], groups['name']].join(' ').replace(/\s+/g, ' ').trim()
      if (title !== '') return { definition, title: title.slice(0, MAX_TITLE_CHARS).toWellFormed() }
    }
    return null
  }

  /** Returns whether a brace comes before the semicolon that ends a declaration. */
  private hasBody(index: number): boolean {
    for (const { start, end, isComment } of this.lines.slice(index, index + MAX_SIGNATURE_LINES)) {
      if (isComment) continue
      const mark = /[{;]/.exec(this.text.slice(start, Math.min(end, start + MAX_LINE_CHARS)))?.[0]
      if (mark !== undefined) return mark === '{'
    }
    return false
  }

  /** Returns the first of the lines directly above that belong to a line: comments, decorators, the type of a function. */
  private above(index: number): number {
    const { lines, language } = this
    const { indent } = lines[index]!
    const from = (this.sections.at(-1)?.line ?? -1) + (this.sections.at(-1)?.title === '' ? 0 : 1)
    let first = index
    for (; first > from; first--) {
      const line = lines[first - 1]!
      if (line.first === line.end) break
      const code = this.text.slice(line.first, Math.min(line.end, line.first + MAX_LINE_CHARS))
      const isAlike = line.isComment || (line.indent === indent && language.decorator?.test(code) === true)
      const isType = first === index && language.lineComments?.[0] === '//' && line.indent === indent && TYPE_ALONE.test(code)
      if (!isAlike && !(isType && !line.isInside)) break
    }
    return first
  }
}

/** Longer lines are data or were made by a program. They define nothing, and their strings and comments are not looked for. */
const MAX_LINE_CHARS = 1_000
const TAB_COLUMNS = 4

interface SourceLine {
  /** Offsets in the text, without the line break. */
  start: number
  end: number
  /** The column of its first character that is not blank. */
  indent: number
  /** Offset of that character; `end` for a blank line. */
  first: number
  /** It begins within a comment or a string that began on a line above. */
  isInside: boolean
  /** True if the line has only a comment. */
  isComment: boolean
}

/** Divides source code into lines, and finds out which of them begin within comments and strings. Takes time linear in the text. */
export function sourceLines(text: string, language: Syntax): SourceLine[] {
  const scanner = new Scanner(text, language)
  const lines: SourceLine[] = []
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    lines.push(scanner.line(start, end))
    start = end + 1
  }
  return lines
}

class Scanner {
  private readonly text: string
  private readonly lineComments: readonly string[]
  private readonly spans: NonNullable<Syntax['spans']>
  /** Finds the next place in a line where a comment or a string begins. */
  private readonly token: RegExp | null
  /** What ends the comment or string that the line is in. */
  private open: string | null = null
  /** The next place of each closing mark, so that a mark that never comes is not looked for again. */
  private readonly nextClose = new Map<string, number>()

  constructor(text: string, { lineComments = [], spans = [], quotes = '' }: Syntax) {
    this.text = text
    this.lineComments = lineComments
    this.spans = spans
    const marks = [...spans.map(([open]) => open), ...lineComments].map((mark) =>
      mark.replace(/[\^$.*+?()[\]{}|/]/g, String.raw`\$&`),
    )
    const strings = [...quotes].map((quote) => `${quote}(?:[^\\\\${quote}]|\\\\.)*${quote}?`)
    // A regular expression literal can contain quotes. It follows an operator or an opening bracket.
    const literal =
      lineComments.includes('//') && quotes.includes("'") ? ['(?<=[=(,:!&|?;{[]\\s?)/(?![*/ ])(?:[^\\\\/]|\\\\.)+/'] : []
    // A single character in quotes: '"' or '\''. In Rust, 'a is a lifetime.
    const character = lineComments.includes('//') && !quotes.includes("'") ? ["'(?:\\\\[^']{1,8}|\\\\'|[^'\\\\])'"] : []
    const alternatives = [...literal, ...character, ...marks, ...strings]
    this.token = alternatives.length === 0 ? null : new RegExp(alternatives.join('|'), 'g')
  }

  line(start: number, end: number): SourceLine {
    const { text } = this
    const isInside = this.open !== null
    let first = start
    let indent = 0
    for (; first < end; first++) {
      const character = text[first]
      if (character === '\t') indent += TAB_COLUMNS - (indent % TAB_COLUMNS)
      else if (character === ' ') indent++
      else break
    }
    const isComment = isInside ? this.open !== null : this.beginsAsComment(first, end)
    this.scan(start, end)
    return { start, end, indent, first, isInside, isComment }
  }

  private beginsAsComment(first: number, end: number): boolean {
    if (first === end) return false
    if (this.lineComments.some((mark) => this.text.startsWith(mark, first))) return true
    return this.spans.some(([open, close]) => open !== close && this.text.startsWith(open, first))
  }

  private scan(start: number, end: number): void {
    const { text, token } = this
    let at = start
    if (this.open !== null) {
      const close = this.closeAfter(this.open, start)
      if (close < 0 || close >= end) return
      at = close + this.open.length
      this.open = null
    }
    if (token === null || end - start > MAX_LINE_CHARS) return
    const line = text.slice(start, end)
    token.lastIndex = at - start
    for (let match = token.exec(line); match !== null; match = token.exec(line)) {
      const [found] = match
      if (this.lineComments.includes(found)) return
      const span = this.spans.find(([open]) => open === found)
      if (span === undefined) continue
      const from = start + match.index + found.length
      const close = this.closeAfter(span[1], from)
      // A comment that never ends is no comment.
      if (close < 0) continue
      if (close >= end) {
        this.open = span[1]
        return
      }
      token.lastIndex = close + span[1].length - start
    }
  }

  private closeAfter(mark: string, from: number): number {
    const known = this.nextClose.get(mark)
    if (known !== undefined && (known < 0 || known >= from)) return known
    const next = this.text.indexOf(mark, from)
    this.nextClose.set(mark, next)
    return next
  }
}
