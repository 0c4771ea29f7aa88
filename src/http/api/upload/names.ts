const MOST_CHARACTERS = 1000
const CONTROL = /\p{Cc}/u

/** The last part of whatever path a client sent along; the name is data and never becomes a path here. */
export function baseName(sent: string): string {
  return sent.split(/[/\\]/).at(-1) ?? ''
}

/** What is wrong with a file name, in words; null when nothing is. */
export function nameFault(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'The file has no name.'
  if (CONTROL.test(name)) return 'The file name has control characters. Rename the file.'
  if (name.length > MOST_CHARACTERS) return `The file name has ${name.length} characters, the limit is ${MOST_CHARACTERS}.`
  return null
}

export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text)
}

/** A refused name, made fit to be shown. */
export function showName(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, '\u{FFFD}').slice(0, 200)
}
