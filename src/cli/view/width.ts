/** Columns a character takes: 0 for combining marks, 2 for East Asian wide ones and emoji (Unicode TR11, by blocks), else 1. */
function charWidth(char: string): number {
  const code = char.codePointAt(0)!
  if (code < 0x300) return 1
  if (/^[\p{Mn}\p{Me}\u200b-\u200d\ufe00-\ufe0f]$/u.test(char)) return 0
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf && code !== 0x303f) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  return wide ? 2 : 1
}

/** Columns a text takes on a terminal. Without escape sequences in it. */
export function textWidth(text: string): number {
  let width = 0
  for (const char of text) width += charWidth(char)
  return width
}

/** Cut to `width` columns, with an ellipsis where something is missing. */
export function truncate(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let out = ''
  let used = 1
  for (const char of text) {
    used += charWidth(char)
    if (used > width) break
    out += char
  }
  return out + '…'
}

/** The same for a path: its end, the name of the file, is worth as much as its beginning. */
export function truncatePath(path: string, width: number): string {
  if (textWidth(path) <= width) return path
  const tail = [...path].reverse()
  let kept = ''
  let used = 0
  for (const char of tail) {
    used += charWidth(char)
    if (used > Math.floor(width / 2)) break
    kept = char + kept
  }
  return truncate(path, width - textWidth(kept)) + kept
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)))
}

/**
 * Lines as spans [start, end) of `text`, none wider than `width` columns: broken at blanks, within a word only where it is wider than a line,
 * and at every line break. Offsets stay those of `text`, so that marks can be laid over them.
 */
export function wrap(text: string, width: number): [number, number][] {
  const lines: [number, number][] = []
  let at = 0
  for (const paragraph of text.split('\n')) {
    wrapParagraph(text, at, at + paragraph.length, width, lines)
    at += paragraph.length + 1
  }
  return lines
}

function wrapParagraph(text: string, from: number, to: number, width: number, lines: [number, number][]): void {
  let start = from
  let used = 0
  let blank = -1
  for (let at = from; at < to;) {
    const char = String.fromCodePoint(text.codePointAt(at)!)
    const isBlank = /\s/.test(char)
    if (isBlank) blank = at
    const columns = charWidth(char)
    if (used + columns > width && !isBlank) {
      const breakAt = blank > start ? blank : at
      lines.push([start, breakAt])
      start = breakAt === blank ? blank + 1 : at
      blank = -1
      used = textWidth(text.slice(start, at))
    }
    used += columns
    at += char.length
  }
  lines.push([start, to])
}

/** The lines themselves, for text that carries no marks. */
export function wrapped(text: string, width: number): string[] {
  return wrap(text, width).map(([from, to]) => text.slice(from, to).trimEnd())
}
