// C0 and C1 control characters, and the marks that change the direction of text ("Trojan Source").
// oxlint-disable-next-line no-control-regex -- the control characters are replaced
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g

/**
 * Text that is safe to print: its colours, links and cursor moves come from docsearch, and everything else is escaped. Only the
 * functions of view/ create it, so a command can't print text from an instance unescaped.
 */
export class Styled {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Text to print. `printed` escapes strings and leaves `Styled` text as it is. */
export type Printable = string | Styled

/** Returns the text as it goes to a terminal or a pipe. */
export function printed(text: Printable): string {
  return text instanceof Styled ? text.text : safeText(text)
}

/** A template tag that escapes its values, except those that are `Styled`. */
export function safe(texts: TemplateStringsArray, ...values: (Printable | number)[]): Styled {
  return new Styled(
    String.raw({ raw: texts }, ...values.map((value) => printed(typeof value === 'number' ? String(value) : value))),
  )
}

/** Joins parts, and escapes those that are not `Styled`. */
export function joined(parts: readonly Printable[], separator = ''): Styled {
  return new Styled(parts.map(printed).join(separator))
}

/** Makes text of a document or an instance safe for a terminal: an escape sequence shows as `�[31m` and has no effect. Keeps line breaks and tabs. */
export function safeText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\f', '\n').replace(DANGEROUS, '\ufffd')
}

/** Like safeText, but keeps the length in UTF-16 code units, so that offsets into `text` stay valid. */
export function safeSameLength(text: string): string {
  return text.replaceAll('\r', ' ').replaceAll('\f', '\n').replace(DANGEROUS, '\ufffd')
}

/** Like safeText, on one line: line breaks, tabs and spaces become one space. */
export function oneLine(text: string): string {
  return safeText(text).replace(/\s+/g, ' ').trim()
}

/** Escapes everything that safeText would replace, so that printing the JSON changes nothing. JSON.stringify escapes only C0. */
export function safeJson(value: unknown, indent?: number): string {
  // oxlint-disable-next-line no-control-regex -- the control characters are replaced
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g,
    (char) => {
      return '\\u' + char.charCodeAt(0).toString(16).padStart(4, '0')
    },
  )
}
