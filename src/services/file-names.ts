const MAX_CHARACTERS = 1000
const CONTROL = /\p{Cc}/u

/** Returns what is wrong with a file name, as a sentence; null when nothing is. */
export function fileNameFault(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'The file has no name.'
  if (CONTROL.test(name)) return 'The file name has control characters. Rename the file.'
  if (name.length > MAX_CHARACTERS) return `The file name has ${name.length} characters; the limit is ${MAX_CHARACTERS}.`
  return null
}

/** Makes a refused name fit to be shown. */
export function showFileName(name: string): string {
  return name.replaceAll(/\p{Cc}/gu, '\u{FFFD}').slice(0, 200)
}
