import type { Span } from './excerpt.ts'

/** The end of a link or a picture: `](address)` or `](address "title")`. */
const ADDRESS = /\]\([^()\s]{0,2000}(?:[ \t]+"[^"\n]{0,300}")?\)/y

/**
 * Returns the parts of a Markdown text that only its renderer needs: of `[terms](https://example.org)`, all except `terms`. A reader of
 * an excerpt wants the words of a link.
 */
export function linkMarkup(text: string): Span[] {
  const spans: Span[] = []
  let open: number[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\n') open = []
    else if (character === '[') open.push(at)
    else if (character === ']') {
      const start = open.pop()
      ADDRESS.lastIndex = at
      if (start === undefined || !ADDRESS.test(text)) continue
      spans.push([text[start - 1] === '!' ? start - 1 : start, start + 1], [at, ADDRESS.lastIndex])
      at = ADDRESS.lastIndex - 1
    }
  }
  return spans.sort(([a], [b]) => a - b)
}
