/** A value of the outermost object or list, or of one directly below it. */
export interface Entry {
  /** Where its key or, in a list, its value begins. */
  start: number
  end: number
  /** The key; null in a list. */
  key: string | null
  /** Its value is an object or a list. */
  isContainer: boolean
  /** 1 for the entries of the outermost object or list. */
  depth: number
  /** Offset of the entry around it; -1 for depth 1. */
  parent: number
}

/** Deeper entries belong to the text of the entry around them. */
const MAX_DEPTH = 3
const MAX_KEY_CHARS = 120
const [QUOTE, BACKSLASH, COMMA, COLON, SLASH, STAR, NEWLINE] = [0x22, 0x5c, 0x2c, 0x3a, 0x2f, 0x2a, 0x0a]

/**
 * Finds the entries of JSON by its brackets, strings and commas. Takes any text, also JSON with comments, with a comma too many, or cut
 * off, and nesting of any depth. The time grows with the length.
 */
export function scanJson(text: string): Entry[] {
  return new Scanner(text).scan()
}

/** Returns the offset after the string that begins at a quote. An unclosed string ends with its line. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE) return at + 1
    else if (code === NEWLINE) return at
  }
  return text.length
}

/** Returns the offset after the comment that begins at a slash, or after the slash. */
export function endOfComment(text: string, start: number): number {
  const next = text.charCodeAt(start + 1)
  if (next !== SLASH && next !== STAR) return start + 1
  const end = next === SLASH ? text.indexOf('\n', start) : text.indexOf('*/', start + 2)
  return end < 0 ? text.length : next === SLASH ? end : end + 2
}

class Scanner {
  private readonly text: string
  private readonly entries: Entry[] = []
  /** For each open bracket up to `MAX_DEPTH`, the number of the open entry in it; -1 for none. */
  private readonly open: number[] = []
  private depth = 0

  constructor(text: string) {
    this.text = text
  }

  scan(): Entry[] {
    const { text } = this
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) at = this.readString(at)
      else if (code === SLASH) at = endOfComment(text, at)
      else {
        if (code === 0x7b || code === 0x5b) this.enter(at)
        else if (code === 0x7d || code === 0x5d) this.leave(at)
        else if (code === COMMA) this.endEntry(at)
        else if (code > 32 && code !== COLON) this.beginEntry(at, null)
        at++
      }
    }
    while (this.depth > 0) this.leave(text.length)
    return this.entries
  }

  private readString(at: number): number {
    const end = endOfString(this.text, at)
    if (this.depth > 0 && this.depth <= MAX_DEPTH && this.open[this.depth - 1] === -1) {
      let after = end
      while (after < this.text.length && this.text.charCodeAt(after) <= 32) after++
      const isKey = this.text.charCodeAt(after) === COLON
      this.beginEntry(at, isKey ? this.text.slice(at + 1, Math.min(end - 1, at + 1 + MAX_KEY_CHARS)).toWellFormed() : null)
    }
    return end
  }

  private enter(at: number): void {
    this.beginEntry(at, null)
    const around = this.depth > 0 && this.depth <= MAX_DEPTH ? this.entries[this.open[this.depth - 1]!] : undefined
    if (around !== undefined) around.isContainer = true
    if (this.depth < MAX_DEPTH) this.open[this.depth] = -1
    this.depth++
  }

  private leave(at: number): void {
    if (this.depth === 0) return
    this.endEntry(at)
    this.depth--
  }

  private beginEntry(start: number, key: string | null): void {
    const { depth, open, entries } = this
    if (depth === 0 || depth > MAX_DEPTH || open[depth - 1] !== -1) return
    open[depth - 1] = entries.length
    entries.push({ start, end: start, key, isContainer: false, depth, parent: depth > 1 ? (open[depth - 2] ?? -1) : -1 })
  }

  private endEntry(end: number): void {
    const { depth, open, entries } = this
    if (depth === 0 || depth > MAX_DEPTH) return
    const entry = entries[open[depth - 1] ?? -1]
    if (entry !== undefined) entry.end = end
    open[depth - 1] = -1
  }
}
