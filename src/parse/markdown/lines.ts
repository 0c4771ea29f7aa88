// What a single line of Markdown is or begins.

const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const ITEM = /^([-*+]|(\d{1,9})[.)])(?:[ \t]+(?=\S)|[ \t]*$)/
const TABLE_CELL = /^[ \t]*:?-+:?[ \t]*$/
const QUOTE = /^ {0,3}>/

export interface Fence {
  mark: string
  length: number
}

export interface Item {
  /** Characters of the mark and the blanks after it. */
  width: number
  /** The number of an ordered list's item. */
  number: number | null
  isEmpty: boolean
}

/** Returns the columns of blanks at the beginning of a line. */
export function indentOf(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns++
    else if (character === '\t') columns += 4 - (columns % 4)
    else break
  }
  return columns
}

/** Removes up to this many columns of blanks from the beginning of a line. */
export function outdent(line: string, columns: number): string {
  let at = 0
  for (let column = 0; column < columns && at < line.length; at++) {
    if (line[at] === ' ') column++
    else if (line[at] === '\t') column += 4 - (column % 4)
    else break
  }
  return line.slice(at)
}

// All functions below with a parameter `text` take a line without the blanks at its ends.

export function isRule(text: string): boolean {
  return RULE.test(text)
}

/** Returns the mark that opens a block of code. Null for inline code between such marks. */
export function fenceOf(text: string): Fence | null {
  const mark = /^(?:`{3,}|~{3,})/.exec(text)?.[0]
  if (mark === undefined || (mark.startsWith('`') && text.includes('`', mark.length))) return null
  return { mark: mark[0]!, length: mark.length }
}

export function closesFence(text: string, { mark, length }: Fence): boolean {
  return text.length >= length && text === mark.repeat(text.length)
}

/** Returns level and text of a heading with hash signs in front of it, and perhaps behind it. */
export function headingOf(text: string): { level: number; text: string } | null {
  const level = /^#{1,6}(?=[ \t]|$)/.exec(text)?.[0].length
  if (level === undefined) return null
  let end = text.length
  while (text[end - 1] === '#') end--
  const isClosed = end < text.length && (end <= level || /[ \t]/.test(text.charAt(end - 1)))
  return { level, text: text.slice(level, Math.max(isClosed ? end : text.length, level)).trim() }
}

/** Returns the level, 1 or 2, of the heading that this line would underline. */
export function underlineOf(text: string): number | null {
  return /^=+$/.test(text) ? 1 : /^-+$/.test(text) ? 2 : null
}

export function itemOf(text: string): Item | null {
  const [mark, , number] = ITEM.exec(text) ?? []
  if (mark === undefined) return null
  return { width: mark.length, number: number === undefined ? null : Number(number), isEmpty: mark.length === text.length }
}

/** True for the blocks that a list item can consist of: code, a heading, a quotation. */
export function beginsBlock(text: string): boolean {
  return fenceOf(text) !== null || headingOf(text) !== null || text.startsWith('>')
}

/** True if the two lines begin a table: the second is a rule with as many cells as the first. */
export function beginsTable(text: string, next: string): boolean {
  if (!text.includes('|') || !next.includes('-') || !/^[-:| \t]+$/.test(next)) return false
  const rule = cellsOf(next)
  return rule.every((cell) => TABLE_CELL.test(cell)) && rule.length === cellsOf(text).length
}

/** True for a line that continues a table. */
export function isRow(line: string): boolean {
  return line.includes('|') && !beginsBlock(line.trim())
}

export function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
}

/** Returns the index after the last line of a quotation. Lines without a mark continue its last paragraph. */
export function quoteEnd(lines: readonly string[], start: number): number {
  let end = start
  for (let isInParagraph = true; end < lines.length; end++) {
    const line = lines[end] ?? ''
    const text = line.trim()
    if (QUOTE.test(line)) {
      const quoted = text.replace(/^[> \t]+/, '')
      isInParagraph = quoted !== '' && fenceOf(quoted) === null
    } else if (!isInParagraph || text === '' || beginsBlock(text) || isRule(text) || itemOf(text) !== null) break
  }
  return end
}

/** The labels that a Markdown file defines, in lower case: of links (`[label]: target`) and of footnotes (`[^label]: text`). */
export type References = ReadonlySet<string>

/** The first line of a footnote. */
export interface Note {
  label: string
  text: string
}

/** CommonMark's limit. It also bounds the work for lines full of brackets. */
export const MAX_LABEL = 999

const LABEL = /^ {0,3}\[((?:[^[\]\\]|\\.){1,999})\]:(?!\()/
/** A target and perhaps a title. A line with anything else is text. */
const TARGET = /^[ \t]*(<[^<>]*>|[^\s<]\S*)(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/
/** What an address or a path contains, and a single word, such as the name in a list of literature, does not. */
const ADDRESS = /[/#.:@?<]/

export function readReferences(lines: readonly string[]): References {
  const labels = new Set<string>()
  for (const line of lines) {
    if (!line.includes(']:')) continue
    const unquoted = line.replace(/^[ \t>]+/, '')
    const note = noteOf(unquoted)
    const label = note === null ? linkLabelOf(unquoted) : `^${note.label}`
    if (label !== null) labels.add(normalize(label))
  }
  return labels
}

export function isDefined(references: References, label: string): boolean {
  return label.length <= MAX_LABEL && references.has(normalize(label))
}

/** Returns the label of a line that only says where a link leads; null for any other line. */
export function linkLabelOf(line: string): string | null {
  const [all, label] = LABEL.exec(line) ?? []
  if (all === undefined || label === undefined || label.startsWith('^') || label.trim() === '') return null
  const target = TARGET.exec(line.slice(all.length))?.[1]
  return target !== undefined && ADDRESS.test(target) ? label : null
}

/** Returns label and text of a line that begins a footnote; null for any other line. */
export function noteOf(line: string): Note | null {
  const [all, label] = LABEL.exec(line) ?? []
  if (all === undefined || label === undefined || !/^\^\S/.test(label)) return null
  return { label: label.slice(1), text: line.slice(all.length).trim() }
}

function normalize(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase()
}
