import type { Page } from '../../core/parsed.ts'
import { cleanText, MAX_BLOCKS } from '../blocks/page-builder.ts'
import { readTextFile } from '../encoding/decode.ts'
import type { Parser } from '../parser.ts'

/** Reads plain text. Blank lines separate paragraphs, form feeds separate pages. */
export const parseText: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = await readTextFile(file, limits)
  // A form feed at the very end begins no further page.
  const end = text.indexOf('\f', text.trimEnd().length)
  const parts = (end < 0 ? text : text.slice(0, end)).split('\f')
  output.open(parts.length)
  parts.forEach((part, index) => output.page(textPage(part, index + 1)))
  return { title: null, pageCount: parts.length, warnings: [], facts: { engine: 'text', encoding, confidence } }
}

/** Makes a page of a text and finds its paragraphs. The text itself stays unchanged. */
export function textPage(raw: string, number: number): Page {
  const text = cleanText(raw).trimEnd()
  const blocks: Page['blocks'] = []
  const paragraph = /\S[^\n]*(?:\n(?![^\S\n]*(?:\n|$))[^\n]*)*/g
  for (const match of text.matchAll(paragraph)) {
    const end = match.index + match[0].trimEnd().length
    if (blocks.length < MAX_BLOCKS) blocks.push({ kind: 'paragraph', start: match.index, end })
    else blocks.at(-1)!.end = end
  }
  return { number, text, blocks }
}
