const [BACKSLASH, OPEN, CLOSE, CR, LF, SPACE, MINUS, QUOTE] = [0x5c, 0x7b, 0x7d, 0x0d, 0x0a, 0x20, 0x2d, 0x27]
/** No word of the format is longer. */
const MAX_WORD_BYTES = 32
const MAX_DIGITS = 10

/** Receives the parts of an RTF file, in order. */
export interface TokenSink {
  open(): void
  close(): void
  /** `\word`, `\word12`, or a symbol such as `\~`. */
  control(word: string, value: number | null): void
  /** Characters in the code page of the font, from one place of the file to another. */
  bytes(from: number, to: number): void
  /** A character in the code page of the font, written as `\'e4`. */
  byte(value: number): void
}

/** Reads the tokens of an RTF file. Any bytes are tokens, and the time grows with their number. */
export function readTokens(file: Uint8Array, sink: TokenSink): void {
  for (let at = 0; at < file.length;) {
    const byte = file[at]!
    if (byte === BACKSLASH) at = readControl(file, at + 1, sink)
    else if (byte === OPEN || byte === CLOSE) {
      if (byte === OPEN) sink.open()
      else sink.close()
      at++
    } else if (byte === CR || byte === LF || byte === 0) at++
    else {
      const from = at
      while (at < file.length && !isSpecial(file[at]!)) at++
      sink.bytes(from, at)
    }
  }
}

function isSpecial(byte: number): boolean {
  return byte === BACKSLASH || byte === OPEN || byte === CLOSE || byte === CR || byte === LF || byte === 0
}

/** Reads a control after its backslash and returns the place after it. */
function readControl(file: Uint8Array, start: number, sink: TokenSink): number {
  const first = file[start]
  if (first === undefined) return start
  if (!isLetter(first)) return readSymbol(file, start, first, sink)
  let at = start
  while (at < file.length && at - start < MAX_WORD_BYTES && isLetter(file[at]!)) at++
  const word = Buffer.from(file.buffer, file.byteOffset + start, at - start).toString('latin1')
  const isNegative = file[at] === MINUS && isDigit(file[at + 1])
  if (isNegative) at++
  let value: number | null = null
  for (let digits = 0; digits < MAX_DIGITS && isDigit(file[at]); digits++) value = (value ?? 0) * 10 + (file[at++]! - 0x30)
  if (value !== null && isNegative) value = -value
  if (file[at] === SPACE) at++
  if (word === 'bin') {
    // The number of raw bytes that follow. A number beyond the end of the file is wrong.
    const length = value ?? 0
    return length > 0 && at + length <= file.length ? at + length : at
  }
  sink.control(word, value)
  return at
}

function readSymbol(file: Uint8Array, at: number, symbol: number, sink: TokenSink): number {
  if (symbol === QUOTE) {
    const value = hexOf(file[at + 1]) * 16 + hexOf(file[at + 2])
    if (Number.isNaN(value)) return at + 1
    sink.byte(value)
    return at + 3
  }
  if (symbol === BACKSLASH || symbol === OPEN || symbol === CLOSE) sink.byte(symbol)
  else sink.control(symbol === CR || symbol === LF ? 'par' : String.fromCharCode(symbol), null)
  return at + 1
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

function hexOf(byte: number | undefined): number {
  if (byte === undefined) return NaN
  if (isDigit(byte)) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN
}

/** What the text of a group is for. */
export type Use =
  /** The document. */
  | 'body'
  /** Notes, comments, headers and footers, which follow the document. */
  | 'aside'
  | 'title'
  | 'fonts'
  | 'styles'
  /** Tags of the HTML that Outlook wraps in RTF. */
  | 'html'
  /** The mark of a list item, such as `1.` */
  | 'mark'
  /** Not text of the document, but groups inside can be. */
  | 'ignore'
  | 'skip'

/** Words that begin a group whose text is not part of the document, or belongs elsewhere in it. */
const USES: Readonly<Record<string, Use>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  title: 'title',
  info: 'ignore',
  upr: 'ignore',
  ud: 'body',
  htmltag: 'html',
  listtext: 'mark',
  pntext: 'mark',
  ...uses('aside', 'footnote annotation header headerl headerr headerf footer footerl footerr footerf'),
  ...uses(
    'skip',
    'colortbl pict objdata objclass objname fldinst datafield sp bkmkstart bkmkend atnid atnauthor atnref atntime atndate atnparent atrfstart atrfend filetbl listtable listoverridetable revtbl rsidtbl themedata colorschememapping latentstyles datastore xmlnstbl fchars lchars nonesttables nesttableprops pnseclvl template generator wgrffmtfilter mmathPr xe tc tcn rxe ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn background docvar mhtmltag formfield ffname ffdeftext ffentrymcr ffexitmcr ffhelptext ffstattext shprslt userprops',
  ),
}
/** Groups that programs may ignore, but that have text of the document. */
const KNOWN_OPTIONAL: ReadonlySet<string> = new Set([
  'shpinst',
  'shptxt',
  'annotation',
  'footnote',
  'shpgrp',
  'ud',
  'htmltag',
  'pntext',
])

function uses(use: Use, words: string): Record<string, Use> {
  return Object.fromEntries(words.split(' ').map((word) => [word, use]))
}

/** Returns the use that a word gives to its group, or null if it begins no destination. `isOptional`: the group begins with `\*`. */
export function useOf(word: string, isOptional: boolean): Use | null {
  const use = Object.hasOwn(USES, word) ? USES[word]! : null
  return use ?? (isOptional && !KNOWN_OPTIONAL.has(word) ? 'skip' : null)
}

/** Words that stand for characters. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  tab: '\t',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  '~': '\u00a0',
  _: '‑',
  zwj: '\u200d',
  zwnj: '\u200c',
}
