import { collapse } from '../blocks/page-builder.ts'
import { decodeEntity } from '../html/html-parser.ts'

/** Values of attributes and titles are inserted up to this length. */
const MAX_VALUE_CHARS = 500
/** Attributes that every document has. */
const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  asterisk: '*',
  backslash: '\\',
  backtick: '`',
  caret: '^',
  cpp: 'C++',
  deg: '°',
  empty: '',
  endsb: ']',
  gt: '>',
  ldquo: '“',
  lsquo: '‘',
  lt: '<',
  nbsp: ' ',
  plus: '+',
  quot: '"',
  rdquo: '”',
  rsquo: '’',
  sp: ' ',
  startsb: '[',
  tilde: '~',
  'two-colons': '::',
  'two-semicolons': ';;',
  vbar: '|',
  wj: '',
  zwsp: '',
}

// Text that has no marks waits between these two noncharacters, by its number.
const [HELD, HELD_END] = ['\uFDD4', '\uFDD5']
const HELD_TEXT = new RegExp(`${HELD}(\\d+)${HELD_END}`, 'g')
const LITERAL =
  /\+\+\+([^+]{1,2000})\+\+\+|\+\+([^+]{1,2000})\+\+|`\+([^`]{1,2000})\+`|(?<![\w+;])\+(?=\S)([^+]{1,2000})(?<=\S)\+(?![\w+])|\b(?:pass|stem|latexmath|asciimath):[a-z,]{0,20}\[((?:[^\]\\]|\\.){0,500})\]|\$\$([^$]{1,2000})\$\$/g
const CROSS_REFERENCE = /<<([^<>,\n]{1,200})(?:,([^<>]{1,500}))?>>/g
const LINK = /(\\?)(?:\b(?:link|xref|mailto):|(?=\b(?:https?|ftp|irc):\/\/))([^\s[\]<>]{1,1000})\[((?:[^\]\\]|\\.){0,1000})\]/g
const MACRO =
  /\b(footnote|footnoteref|image|icon|kbd|btn|menu|indexterm2?|anchor):([^\s[\]]{0,500})\[((?:[^\][\\]|\\.){0,2000})\]/g
const ROLE = /\[[^\][\n]{1,100}\](?=[*_`#])/g
/** Text without any of these is plain. */
const SPECIAL = /[*_`#^~+{<[(&\\$]/

/** Marks within words. The others need a boundary on both sides. */
const UNCONSTRAINED = ['**', '__', '``', '##', '^', '~']
const QUOTES = [...UNCONSTRAINED, '*', '_', '`', '#'].map((mark) => {
  const [whole, one] = [mark, mark.charAt(0)].map((text) => text.replace(/[*^]/g, String.raw`\$&`))
  if (UNCONSTRAINED.includes(mark)) return new RegExp(`(?<!\\\\)${whole}(?=\\S)([^${one}]{1,2000})(?<=\\S)${whole}`, 'g')
  const inner = `(?:[^${one}]|(?<=\\w)${one}(?=\\w)){1,2000}`
  return new RegExp(`(?<![\\w\\\\;:}])${whole}(?=\\S)(${inner})(?<=\\S)${whole}(?!\\w)`, 'g')
})

/** Makes plain text of paragraphs, headings and cells: without marks, and with the values of attributes. */
export class AsciidocText {
  private readonly attributes = new Map<string, string>()
  private readonly targets: ReadonlyMap<string, string>
  /** Inserted text. More would make a small file large. */
  private left: number

  constructor(targets: ReadonlyMap<string, string>, maxInserted: number) {
    this.targets = targets
    this.left = maxInserted
  }

  /** Sets an attribute, as `:name: value` does. `:!name:` removes it. */
  define(name: string, value: string): void {
    if (/^!|!$/.test(name)) this.attributes.delete(name.replace(/^!|!$/g, '').toLowerCase())
    else this.attributes.set(name.toLowerCase(), this.withAttributes(value).slice(0, MAX_VALUE_CHARS))
  }

  valueOf(name: string): string | null {
    return this.attributes.get(name) || null
  }

  /** @param lineBreaks The lines stay lines, as in verses. */
  plain(source: string, lineBreaks = false): string {
    if (!SPECIAL.test(source)) return collapse(lineBreaks ? source : source.replaceAll('\n', ' '))
    const held: string[] = []
    const hold = (text: string): string => `${HELD}${held.push(text) - 1}${HELD_END}`
    let text = source.replace(LITERAL, (_, raw: string | undefined, ...others: (string | undefined)[]) =>
      hold(raw?.replace(/<[^<>]{1,500}>/g, '') ?? others.slice(0, 5).find((part) => part !== undefined) ?? ''),
    )
    text = this.withAttributes(text)
    text = withoutMacros(text, (id) => this.titleOf(id))
    text = text.replace(/"`([^`]{1,2000})`"/g, '“$1”').replace(/'`([^`]{1,2000})`'/g, '‘$1’')
    text = text.replace(ROLE, '')
    for (const quote of QUOTES) text = text.replace(quote, '$1')
    text = text
      .replace(/[ \t]\+$/, '')
      .replace(/[ \t]\+\n/g, HELD)
      .replace(/\\(?=[*_`#^~+{<[(&:'".|\-h])/g, '')
      .replace(/&(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});/gi, decodeEntity)
    if (!lineBreaks) text = text.replaceAll('\n', ' ')
    text = text.replace(HELD_TEXT, (_, number: string) => held[Number(number)] ?? '').replaceAll(HELD, '\n')
    return collapse(text)
  }

  private withAttributes(source: string): string {
    return source.replace(
      /(\\?)\{([a-zA-Z0-9_][\w-]{0,60})(:[^{}\n]{0,100})?\}/g,
      (whole, escape: string, name: string, rest) => {
        if (escape !== '') return whole.slice(1)
        // `{counter:name}` and `{set:name:value}`.
        if (rest !== undefined) return /^(?:set|counter2?)$/.test(name) ? '' : whole
        return this.insert(this.attributes.get(name.toLowerCase()) ?? CHARACTERS[name]) ?? whole
      },
    )
  }

  private titleOf(id: string): string | null {
    const title = this.targets.get(id.replace(/^#/, ''))
    return this.insert(title?.slice(0, MAX_VALUE_CHARS)) ?? null
  }

  private insert(text: string | undefined): string | undefined {
    if (text === undefined || this.left < text.length) return undefined
    this.left -= text.length
    return text
  }
}

function withoutMacros(source: string, titleOf: (id: string) => string | null): string {
  return source
    .replace(CROSS_REFERENCE, (_, id: string, label: string | undefined) => label?.trim() ?? titleOf(id.trim()) ?? `[${id}]`)
    .replace(LINK, (_, escape: string, target: string, label: string) => {
      const text = labelOf(label)
      return escape + (text === '' ? (titleOf(target) ?? target) : text)
    })
    .replace(MACRO, (_, macro: string, target: string, content: string) => textOfMacro(macro, target, content))
    .replace(/\(\(\(([^()]{1,500})\)\)\)/g, '')
    .replace(/\(\(([^()]{1,500})\)\)/g, '$1')
    .replace(/\[\[\[([^\][,\n]{1,200})(?:,[^\][\n]{0,200})?\]\]\]/g, '[$1]')
    .replace(/\[\[[^\][\n]{1,200}\]\]/g, '')
}

/** Returns the text of a link without the attributes behind it. */
function labelOf(label: string): string {
  const text = label.includes('=') ? label.replace(/,?\s*\b[\w-]{1,40}=(?:"[^"]*"|'[^']*'|[^,]*)/g, '') : label
  const trimmed = text.trim()
  // A circumflex at the end opens another window, unless it ends a superscript.
  const opensWindow = trimmed.endsWith('^') && trimmed.split('^').length === 2
  return (opensWindow ? trimmed.slice(0, -1) : trimmed).replace(/^"([^"]*)"$/, '$1').replaceAll('\\]', ']')
}

function textOfMacro(macro: string, target: string, content: string): string {
  switch (macro) {
    case 'footnote':
      return content === '' ? '' : ` (${content})`
    case 'footnoteref': {
      const note = content.split(',').slice(1).join(',')
      return note === '' ? '' : ` (${note})`
    }
    case 'image':
      return labelOf(content).split(',', 1)[0]!
    case 'menu':
      return [target, content].filter(Boolean).join(' > ')
    case 'icon':
    case 'anchor':
    case 'indexterm':
      return ''
    default:
      return content
  }
}
