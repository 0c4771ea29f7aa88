/**
 * PostgreSQL's texts can't contain U+0000, and texts of documents may. This noncharacter announces the next one: `0` stands for U+0000 and `1` for
 * the noncharacter itself. Equal texts stay equal, and different texts stay different.
 */
const ESCAPE = '\u{10ffff}'
const NUL = '\u0000'

export function encodeText(text: string): string {
  if (!text.includes(NUL) && !text.includes(ESCAPE)) return text
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll(NUL, `${ESCAPE}0`)
}

export function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text
  return text.replaceAll(`${ESCAPE}0`, NUL).replaceAll(`${ESCAPE}1`, ESCAPE)
}
