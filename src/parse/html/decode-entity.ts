import { Parser } from 'htmlparser2'

/** Returns the character that a reference such as `&amp;` stands for, or the reference itself if it stands for none. */
export function decodeEntity(entity: string): string {
  let text = ''
  const parser = new Parser({ ontext: (part) => (text += part) })
  parser.end(entity)
  // Only the beginning of the name is a known entity.
  return text.endsWith(';') && entity.length > text.length ? entity : text
}
