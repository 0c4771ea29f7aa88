const CONTROL = /\p{Cc}/u

/** Returns the last part of the path that a client sent as a file name. The name is only data: it never becomes a path here. */
export function baseName(sent: string): string {
  return sent.split(/[/\\]/).at(-1) ?? ''
}

export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text)
}
