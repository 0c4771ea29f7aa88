/** Preprocessor directives. The reader includes no files, and reads the text of every branch, because conditions can come from a command line. */
const DIRECTIVE = /^(?:include|ifdef|ifndef|ifeval|endif)::[^[\n]{0,500}\[(.*)\]\s*$/
const DELIMITER = /^(?:-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|\/{4,}|`{3,}\S{0,50}|--|[|,:!]={3,})$/
const UNDERLINE = /^(?:=+|-+|~+|\^+|\++)$/
const ITEM =
  /^\s*(?:(\*{1,6}|-|\.{1,6})[ \t]+(?=\S)|(\d{1,9}\.|[a-zA-Z]\.|[ivxIVX]{1,9}\))[ \t]+(?=\S)|<(\d{1,3}|\.)>[ \t]+(?=\S))(.*)$/
const TERM = /^\s*(\S.{0,2000}?)(:{2,4}|;;)(?:[ \t]+(.*))?$/
const BLOCK_ATTRIBUTES = /^\[(?:[\w.#%{"',:-].*|)\]$|^\[\[[^\]\n]{1,200}\]\]$/
const MAX_ATTRIBUTES_CHARS = 2_000

export interface Item {
  /** What items of the same list begin with. */
  mark: string
  /** The number that the file gives to the item. */
  number: string | null
  /** The term of a description list. */
  term: string | null
  text: string
}

/** Returns whether a line delimits a block. */
export function isDelimiter(line: string): boolean {
  return DELIMITER.test(line)
}

export function isBlockAttributes(line: string): boolean {
  return line.startsWith('[') && line.length < MAX_ATTRIBUTES_CHARS && BLOCK_ATTRIBUTES.test(line)
}

export function isComment(line: string): boolean {
  return line.startsWith('//') && !line.startsWith('///')
}

export function itemOf(line: string): Item | null {
  const [, bullet, number, callout, text] = ITEM.exec(line) ?? []
  if (bullet !== undefined) return { mark: bullet, number: null, term: null, text: text! }
  if (number !== undefined)
    return { mark: /\d/.test(number) ? '1.' : number.endsWith(')') ? 'i)' : 'a.', number, term: null, text: text! }
  if (callout !== undefined) return { mark: '<1>', number: callout === '.' ? null : `${callout}.`, term: null, text: text! }
  const [, term, mark, description = ''] = line.includes('::') || line.includes(';;') ? (TERM.exec(line) ?? []) : []
  return term === undefined ? null : { mark: mark!, number: null, term, text: description }
}

/** Returns the title and the level of a heading that begins at the first of two lines, and the number of its lines. */
export function headingOf(line: string, next: string): { title: string; level: number; lines: number } | null {
  const marked = /^(={1,6}|#{1,6})[ \t]+(\S.*)$/.exec(line)
  if (marked !== null) return { title: marked[2]!.replace(/\s+(?:={1,6}|#{1,6})$/, ''), level: marked[1]!.length, lines: 1 }
  if (!UNDERLINE.test(next) || next.length < 2 || !/^[^.\s]/.test(line) || !/[\p{L}\p{N}]/u.test(line)) return null
  const length = [...line].length
  if (Math.abs(length - next.length) > 1 || isBlockAttributes(line) || itemOf(line)?.term != null) return null
  return { title: line, level: '=-~^+'.indexOf(next[0]!) + 1, lines: 2 }
}

/** The lines of a text, read from the first to the last, without the directives of the preprocessor. */
export class AsciidocLines {
  private readonly lines: string[]
  private index = 0

  constructor(text: string) {
    this.lines = text.split('\n').flatMap((raw) => {
      const line = raw.trimEnd()
      const content = /^[ie]/.test(line) ? DIRECTIVE.exec(line)?.[1] : undefined
      if (content === undefined) return [/^\\(?:include|ifn?def|ifeval|endif)::/.test(line) ? line.slice(1) : line]
      // `ifdef::name[text]` has the text that it stands for.
      return line.startsWith('ifdef') || line.startsWith('ifndef') ? (content === '' ? [] : [content]) : []
    })
  }

  get isAtEnd(): boolean {
    return this.index >= this.lines.length
  }

  /** Returns a line counted from the current one. */
  at(offset: number): string {
    return this.lines[this.index + offset] ?? ''
  }

  skip(count: number): void {
    this.index += count
  }

  takeWhile(isWanted: (line: string) => boolean): string[] {
    const from = this.index
    while (!this.isAtEnd && isWanted(this.at(0))) this.index++
    return this.lines.slice(from, this.index)
  }

  /** Takes the lines up to a closing line, and skips that line. */
  takeUntil(close: string): string[] {
    const lines = this.takeWhile((line) => line !== close)
    this.skip(1)
    return lines
  }

  /** Returns the title below each anchor, for cross references. */
  targets(): Map<string, string> {
    const targets = new Map<string, string>()
    let anchors: string[] = []
    for (const [index, line] of this.lines.entries()) {
      const anchor = isBlockAttributes(line)
        ? /^\[(?:\[([^\],]{1,200})[^\]]*\]|[^\]#]{0,100}#([\w:.-]{1,200})[^\]]*)\]$/.exec(line)
        : null
      if (anchor !== null) anchors.push(anchor[1] ?? anchor[2]!)
      else if (line !== '' && !isBlockAttributes(line)) {
        const title = /^\.[^.\s]/.test(line) ? line.slice(1) : headingOf(line, this.lines[index + 1] ?? '')?.title
        for (const id of title === undefined ? [] : anchors) targets.set(id, title!)
        if (title !== undefined && !line.startsWith('.')) targets.set(automaticId(title), title)
        anchors = []
      }
    }
    return targets
  }
}

/** Returns the ID that a heading has without an anchor. */
function automaticId(title: string): string {
  return `_${title
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s._-]/gu, '')
    .replace(/[\s._-]+/g, '_')
    .replace(/_$/, '')}`
}
