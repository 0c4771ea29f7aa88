import type { Line } from './line.ts'

const MAX_HEADING_CHARS = 200

/** A line that is a heading, or a part of one. */
export interface LineHeading {
  level: number
  /** True when only its type says that it is a heading, and not the outline. */
  isGuessed: boolean
}

/** The meaning of the sizes of type in a document. */
export interface Typography {
  /** Returns the level of a heading, by the outline or by the size of type; null for any other line. */
  headingOf(line: Line, outline: readonly { title: string; level: number }[]): LineHeading | null
  /** The level of a separate bold line in the size of the text. */
  boldLevel: number
}

/**
 * Learns the typography from a sample of the document's lines. The size of most characters is that of the text. Larger lines are
 * headings, and their size gives the level. With an outline, its levels come first, and size gives only the levels below it.
 * @param outlineDepth Levels of the outline; 0 without one.
 */
export function typographyOf(sample: readonly Line[], outlineDepth: number): Typography {
  const body = bodySize(sample)
  const below = Math.min(outlineDepth + 1, 6)
  return {
    headingOf(line, outline) {
      const entry = outline.length === 0 ? undefined : entryOf(line.text, outline)
      if (entry !== undefined && line.size >= body * 0.9) return { level: Math.min(entry.level, 6), isGuessed: false }
      const ratio = line.size / body
      if (ratio < 1.15 || line.text.length > MAX_HEADING_CHARS || !/\p{L}{2}/u.test(line.text) || /^[,.;:)\]]/.test(line.text))
        return null
      const bySize = ratio >= 1.75 ? 1 : ratio >= 1.35 ? 2 : 3
      return { level: outlineDepth > 0 ? below : bySize, isGuessed: true }
    },
    boldLevel: outlineDepth > 0 ? Math.min(below + 1, 6) : 4,
  }
}

function entryOf<T extends { title: string }>(line: string, outline: readonly T[]): T | undefined {
  const text = line.length > MAX_HEADING_CHARS ? '' : key(line)
  return text === '' ? undefined : outline.find(({ title }) => sameTitle(key(title), text))
}

function bodySize(lines: readonly Line[]): number {
  const characters = new Map<number, number>()
  for (const { size, text } of lines) {
    const rounded = Math.round(size * 2) / 2
    characters.set(rounded, (characters.get(rounded) ?? 0) + text.length)
  }
  let body = 0
  let most = 0
  for (const [size, count] of characters) {
    if (count > most) [body, most] = [size, count]
  }
  return body || 10
}

/** Reduces a title to its letters, because an outline and its page differ in numbering and blanks. */
function key(title: string): string {
  return title
    .toLowerCase()
    .replace(/^[\divx.\s]+(?=\p{L})/u, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

function sameTitle(title: string, line: string): boolean {
  // A title can go over two lines, and then begins with the first of them.
  return title === line || (line.length >= 12 && title.startsWith(line))
}
