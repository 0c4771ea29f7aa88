/** What a line of Markdown begins or is, by itself. */

const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const ITEM = /^([-*+]|(\d{1,9})[.)])(?:[ \t]+(?=\S)|[ \t]*$)/
const TABLE_CELL = /^[ \t]*:?-+:?[ \t]*$/

export interface Fence {
  mark: string
  length: number
}

export interface Item {
  /** Characters of the mark and the blanks behind it. */
  width: number
  /** Of an ordered list. */
  number: number | null
  empty: boolean
}

/** Columns of blanks that it begins with. */
export function indentOf(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === ' ') columns++
    else if (character === '\t') columns += 4 - (columns % 4)
    else break
  }
  return columns
}

/** Without so many columns of its blanks. */
export function outdent(line: string, columns: number): string {
  let at = 0
  for (let column = 0; column < columns && at < line.length; at++) {
    if (line[at] === ' ') column++
    else if (line[at] === '\t') column += 4 - (column % 4)
    else break
  }
  return line.slice(at)
}

// The functions below take a line without the blanks around it.

export function isRule(text: string): boolean {
  return RULE.test(text)
}

/** The mark of a block of code; a line of code between such marks is none. */
export function fenceOf(text: string): Fence | null {
  const mark = /^(?:`{3,}|~{3,})/.exec(text)?.[0]
  if (mark === undefined || (mark.startsWith('`') && text.includes('`', mark.length))) return null
  return { mark: mark[0]!, length: mark.length }
}

export function closesFence(text: string, { mark, length }: Fence): boolean {
  return text.length >= length && text === mark.repeat(text.length)
}

/** Level and text of a heading with hash signs before it, and maybe behind it. */
export function headingOf(text: string): { level: number; text: string } | null {
  const level = /^#{1,6}(?=[ \t]|$)/.exec(text)?.[0].length
  if (level === undefined) return null
  let end = text.length
  while (text[end - 1] === '#') end--
  const isClosed = end < text.length && (end <= level || /[ \t]/.test(text.charAt(end - 1)))
  return { level, text: text.slice(level, Math.max(isClosed ? end : text.length, level)).trim() }
}

/** 1 or 2 for the line below a heading. */
export function underlineOf(text: string): number | null {
  return /^=+$/.test(text) ? 1 : /^-+$/.test(text) ? 2 : null
}

export function itemOf(text: string): Item | null {
  const [mark, , number] = ITEM.exec(text) ?? []
  if (mark === undefined) return null
  return { width: mark.length, number: number === undefined ? null : Number(number), empty: mark.length === text.length }
}

/** Whether the two lines begin a table: as many cells, and a rule below the first. */
export function beginsTable(text: string, next: string): boolean {
  if (!text.includes('|') || !next.includes('-') || !/^[-:| \t]+$/.test(next)) return false
  const rule = cellsOf(next)
  return rule.every((cell) => TABLE_CELL.test(cell)) && rule.length === cellsOf(text).length
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
}
