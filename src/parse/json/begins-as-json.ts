/** True for a text that begins with an object and its first key. A list could also be a text with a note in brackets. */
export function beginsAsJson(start: string): boolean {
  return /^(?:\xef\xbb\xbf|\uFEFF)?\s{0,100}(?:\[\s{0,100})?\{\s{0,100}"(?:[^"\\\n]|\\.){0,200}"\s{0,20}:/.test(start)
}
