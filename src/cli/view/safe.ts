// Control characters of C0 and C1, and the marks that turn the direction of text around ("Trojan Source").
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g

/** Text of a document or an instance for a terminal: an escape sequence in it shows as `�[31m` and does nothing. Line breaks and tabs stay. */
export function safeText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\f', '\n').replace(DANGEROUS, '\ufffd')
}

/** The same length in UTF-16 code units, so that offsets into `text` stay true. */
export function safeSameLength(text: string): string {
  return text.replaceAll('\r', ' ').replaceAll('\f', '\n').replace(DANGEROUS, '\ufffd')
}

/** On one line: whatever parts lines or columns becomes one blank. */
export function oneLine(text: string): string {
  return safeText(text).replace(/\s+/g, ' ').trim()
}

/** JSON.stringify leaves DEL, C1 and the direction marks as they are; a terminal would obey them. Still the same JSON. */
export function safeJson(value: unknown, indent?: number): string {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (char) => {
    return '\\u' + char.charCodeAt(0).toString(16).padStart(4, '0')
  })
}
