// C0 and C1 control characters, and the marks that change the direction of text ("Trojan Source").
// oxlint-disable-next-line no-control-regex -- the control characters are replaced
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g

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

/** Escapes DEL, C1 and the direction marks too, which JSON.stringify leaves for the terminal to obey. */
export function safeJson(value: unknown, indent?: number): string {
  // oxlint-disable-next-line no-control-regex -- the control characters are replaced
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (char) => {
    return '\\u' + char.charCodeAt(0).toString(16).padStart(4, '0')
  })
}
