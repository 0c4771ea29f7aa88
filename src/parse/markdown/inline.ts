import { decodeEntity } from '../html/html-parser.ts'
import { isDefined, MAX_LABEL, type References } from './lines.ts'

const ESCAPED = /\\([!-/:-@[-`{-~])/y
const ENTITY = /&(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});/iy
const ADDRESS = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>/iy
/** An address without marks around it. Nothing within it is a mark. */
const BARE_ADDRESS = /https?:\/\/[^\s<>()[\]"'`]+/iy
/** These characters at the end don't belong to the address. */
const AFTER_ADDRESS = '?!.,:;*_~|'
const TAG =
  /<(\/?)(a|abbr|b|bdi|bdo|big|br|center|cite|code|data|del|details|dfn|div|em|font|h[1-6]|hr|i|img|ins|kbd|label|li|mark|nobr|ol|p|picture|q|rp|rt|ruby|s|samp|small|source|span|strike|strong|sub|summary|sup|table|tbody|td|th|thead|time|tr|tt|u|ul|var|wbr)(?=[\s/>])([^<>]*)>/iy
const SEPARATING_TAG = /^(?:br|center|details|div|h[1-6]|hr|img|li|ol|p|picture|summary|table|tbody|td|th|thead|tr|ul)$/i
const ALT = /\salt\s*=\s*(?:"([^"]*)"|'([^']*)')/i
/** A link to a page of the same notebook or wiki. */
const WIKI_LINK = /!?\[\[(?!\s)(?:[^[\]|\n]{1,500}\|)?([^[\]|\n]{1,500})\]\](?![([])/y
const LABEL = /\[([^[\]]{0,999})\]/y
const NOTE = /\[(\^[^\s[\]]{1,999})\]/y
/** Bounded, as CommonMark's label is: an open quotation mark must not make the rest of the text a title. */
const TARGET_END = /\s*(?:(?:"(?:[^"\\]|\\.){0,2000}"|'(?:[^'\\]|\\.){0,2000}'|\((?:[^()\\]|\\.){0,2000}\))\s*)?\)/y
const TARGET_IN_MARKS = /<[^<>\n]*>/y
/** An address with deeper parentheses ends a link in CommonMark's reference implementation, too. */
const MAX_PARENTHESES = 32
/** Formulas between these marks are no Markdown. */
const FORMULA = '$$'

/**
 * Returns the text of a line as a reader sees it: without the marks of emphasis, code, links and images, without inline HTML, and
 * with escapes and character references resolved. Of a link or an image only the text remains. What is no valid Markdown stays as
 * it is. The time is linear in the length of the line.
 */
export function inlineText(source: string, references: References): string {
  // Most lines have no mark at all.
  return /[\\`*_~[\]<&]/.test(source) ? new InlineReader(source, references).read() : source
}

/** A bracket that could begin a link or an image. */
interface Bracket {
  /** Index of its part. */
  part: number
  /** Offset of the text after it. */
  start: number
  isImage: boolean
}

class InlineReader {
  private readonly source: string
  private readonly references: References
  private at = 0
  /** The text so far. Runs of marks are filled in at the end. */
  private readonly parts: string[] = []
  private readonly runs: { part: number; run: Run }[] = []
  private readonly brackets: Bracket[] = []
  /** Lengths of backtick runs and other marks that don't occur again. */
  private readonly missing = new Set<string>()

  constructor(source: string, references: References) {
    this.source = source
    this.references = references
  }

  read(): string {
    const special = /[\\`*_~[\]<&]|!(?=\[)|\$\$|https?:\/\//gi
    while (this.at < this.source.length) {
      special.lastIndex = this.at
      const next = special.exec(this.source)?.index ?? this.source.length
      this.parts.push(this.source.slice(this.at, next))
      this.at = next
      if (next < this.source.length) this.readSpecial(this.source[next]!)
    }
    matchRuns(this.runs.map(({ run }) => run))
    for (const { part, run } of this.runs) this.parts[part] = run.mark.repeat(run.left)
    return this.parts.join('').trim()
  }

  private readSpecial(character: string): void {
    switch (character) {
      case '\\':
        if (!this.take(this.match(ESCAPED), ([, escaped]) => escaped!)) this.keep(1)
        return
      case '&':
        if (!this.take(this.match(ENTITY), ([entity]) => decodeEntity(entity))) this.keep(1)
        return
      case 'h':
      case 'H':
        return this.readBareAddress()
      case '`':
        return this.readCode()
      case '$':
        return this.readFormula()
      case '<':
        return this.readAngle()
      case '!':
      case '[':
        return this.openBracket()
      case ']':
        return this.closeBracket()
      default:
        return this.readRun(character)
    }
  }

  private readRun(mark: string): void {
    let end = this.at
    while (this.source[end] === mark) end++
    const run = runOf(mark, end - this.at, characterBefore(this.source, this.at), characterAt(this.source, end))
    this.runs.push({ part: this.parts.length, run })
    this.keep(end - this.at)
  }

  private readBareAddress(): void {
    const address = this.match(BARE_ADDRESS)?.[0] ?? ''
    let { length } = address
    while (AFTER_ADDRESS.includes(address.charAt(length - 1)) && length > 0) length--
    this.keep(Math.max(length, 1))
  }

  private readCode(): void {
    let { at: start } = this
    while (this.source[start] === '`') start++
    const mark = this.source.slice(this.at, start)
    const end = this.findCodeEnd(mark, start)
    if (end < 0) return this.keep(mark.length)
    const code = this.source.slice(start, end)
    if (isLetter(characterBefore(this.source, this.at))) this.parts.push(' ')
    this.parts.push(code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' ? code.slice(1, -1) : code)
    this.at = end + mark.length
  }

  /** Returns where a run of exactly these backticks begins, or -1. What was sought in vain once is not sought again. */
  private findCodeEnd(mark: string, start: number): number {
    if (this.missing.has(mark)) return -1
    for (let end = this.source.indexOf(mark, start); end >= 0;) {
      let after = end + mark.length
      while (this.source[after] === '`') after++
      if (after === end + mark.length) return end
      end = this.source.indexOf(mark, after)
    }
    this.missing.add(mark)
    return -1
  }

  private readFormula(): void {
    const end = this.source.startsWith(FORMULA, this.at) ? this.find(FORMULA, this.at + 2) : -1
    this.keep(end < 0 ? 1 : end + 2 - this.at)
  }

  private readAngle(): void {
    if (this.take(this.match(ADDRESS), ([, address]) => address!)) return
    if (this.source.startsWith('<!--', this.at)) {
      const end = this.find('-->', this.at + 4)
      if (end >= 0) {
        this.at = end + 3
        return
      }
    }
    const isTag = this.take(this.match(TAG), ([, close, name, attributes]) => {
      const [, double, single] = (/^img$/i.test(name!) && close === '' && ALT.exec(attributes!)) || []
      const alt = double ?? single ?? ''
      return alt === '' ? (SEPARATING_TAG.test(name!) ? ' ' : '') : ` ${alt} `
    })
    if (!isTag) this.keep(1)
  }

  private openBracket(): void {
    if (this.take(this.match(WIKI_LINK), ([, text]) => text!)) return
    const note = this.match(NOTE)
    if (note !== null && isDefined(this.references, note[1]!)) {
      this.at += note[0].length
      return
    }
    const isImage = this.source[this.at] === '!'
    const isBracket = !isImage || this.source[this.at + 1] === '['
    const length = isImage && isBracket ? 2 : 1
    if (isBracket) this.brackets.push({ part: this.parts.length, start: this.at + length, isImage })
    this.keep(length)
  }

  private closeBracket(): void {
    const open = this.brackets.pop()
    const end = open === undefined ? -1 : this.linkEnd(open)
    if (open === undefined || end < 0) return this.keep(1)
    // Images and links that follow each other are words of their own.
    const before = characterBefore(this.source, open.start - (open.isImage ? 2 : 1))
    this.parts[open.part] = open.isImage && isLetter(before) ? ' ' : ''
    const after = characterAt(this.source, end)
    this.parts.push((open.isImage && isLetter(after)) || after === '[' || after === '!' ? ' ' : '')
    this.at = end
  }

  /** Returns the end of the link whose text ends here, or -1 if it is no link. */
  private linkEnd({ start }: Bracket): number {
    const after = this.at + 1
    if (this.source[after] === '(') {
      const end = this.targetEnd(after + 1)
      if (end >= 0) return end
    }
    const label = matchAt(LABEL, this.source, after)
    if (label !== null && label[1] !== '') return isDefined(this.references, label[1]!) ? after + label[0].length : -1
    const own = this.at - start <= MAX_LABEL ? this.source.slice(start, this.at) : ''
    return isDefined(this.references, own) ? after + (label?.[0].length ?? 0) : -1
  }

  /** Returns the end of a link's target and title, with the closing parenthesis, or -1. */
  private targetEnd(start: number): number {
    let at = start
    while (/\s/.test(characterAt(this.source, at))) at++
    const inMarks = matchAt(TARGET_IN_MARKS, this.source, at)
    if (inMarks !== null) at += inMarks[0].length
    else {
      for (let depth = 0; at < this.source.length; at++) {
        const character = this.source[at]!
        if (character === '\\') at++
        else if (character === '(' && ++depth > MAX_PARENTHESES) return -1
        else if (/\s/.test(character) || (character === ')' && --depth < 0)) break
      }
    }
    const end = matchAt(TARGET_END, this.source, at)
    return end === null ? -1 : at + end[0].length
  }

  /** Keeps the next characters as text. */
  private keep(length: number): void {
    this.parts.push(this.source.slice(this.at, this.at + length))
    this.at += length
  }

  /** Replaces what matched by text. Returns whether anything did. */
  private take(match: RegExpExecArray | null, textOf: (match: RegExpExecArray) => string): boolean {
    if (match === null) return false
    this.parts.push(textOf(match))
    this.at += match[0].length
    return true
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    return matchAt(pattern, this.source, this.at)
  }

  /** Returns the offset of a closing mark, or -1. What was sought in vain once is not sought again. */
  private find(mark: string, start: number): number {
    const at = this.missing.has(mark) ? -1 : this.source.indexOf(mark, start)
    if (at < 0) this.missing.add(mark)
    return at
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function isLetter(character: string): boolean {
  return /[\p{L}\p{M}\p{N}]/u.test(character)
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

function characterBefore(text: string, at: number): string {
  const isPair = /[\uDC00-\uDFFF]/.test(text.charAt(at - 1))
  return isPair ? characterAt(text, at - 2) : text.charAt(at - 1)
}

/** A run of equal marks within a line: `*`, `_` or `~`. */
interface Run {
  mark: string
  /** Characters of the run, and those that no other run has matched yet. */
  length: number
  left: number
  canOpen: boolean
  canClose: boolean
}

const SPACE = /\s/u
const PUNCTUATION = /[\p{P}\p{S}]/u
/** In these scripts no blank separates the mark from the word next to it, so the rules for punctuation would leave most marks. */
const NO_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
const DIGIT = /\d/

/** @param before The character before the run, @param after the one after it. Both are empty at the ends of the text. */
function runOf(mark: string, length: number, before: string, after: string): Run {
  const opens = isFlanking(after, before)
  const closes = isFlanking(before, after)
  // A product such as 2*3*4.
  const isProduct = mark === '*' && length === 1 && DIGIT.test(before) && DIGIT.test(after)
  const isMark = !isProduct && (mark !== '~' || length === 2)
  // An underscore within a word is part of a name.
  const isStrict = mark === '_'
  return {
    mark,
    length,
    left: length,
    canOpen: isMark && opens && (!isStrict || !closes || PUNCTUATION.test(before)),
    canClose: isMark && closes && (!isStrict || !opens || PUNCTUATION.test(after)),
  }
}

/** True if a run with this character on its inner and that one on its outer side can begin or end there (CommonMark, 6.2). */
function isFlanking(inner: string, outer: string): boolean {
  if (inner === '' || SPACE.test(inner)) return false
  return !PUNCTUATION.test(inner) || outer === '' || SPACE.test(outer) || PUNCTUATION.test(outer) || NO_BLANKS.test(outer)
}

/**
 * Takes the marks that belong together off their runs. What is left of a run is text. The time is linear: each search ends where
 * the last one for the same kind of run ended in vain.
 */
function matchRuns(runs: readonly Run[]): void {
  const open: Run[] = []
  const bottoms = new Map<string, number>()
  for (const run of runs) {
    while (run.canClose && run.left > 0) {
      const kind = `${run.mark}${run.canOpen}${run.length % 3}`
      const bottom = bottoms.get(kind) ?? 0
      let at = open.length - 1
      while (at >= bottom && !belongTogether(open[at]!, run)) at--
      if (at < bottom) {
        bottoms.set(kind, open.length)
        break
      }
      const opener = open[at]!
      const count = opener.left >= 2 && run.left >= 2 ? 2 : 1
      opener.left -= count
      run.left -= count
      open.length = opener.left > 0 ? at + 1 : at
      for (const [key, height] of bottoms) if (height > open.length) bottoms.set(key, open.length)
    }
    if (run.canOpen && run.left > 0) open.push(run)
  }
}

function belongTogether(opener: Run, closer: Run): boolean {
  if (opener.mark !== closer.mark) return false
  const isAmbiguous = opener.canClose || closer.canOpen
  return !isAmbiguous || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0)
}
