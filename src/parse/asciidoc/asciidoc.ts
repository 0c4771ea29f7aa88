import { Flow } from '../blocks/flow.ts'
import { cleanText } from '../blocks/page-builder.ts'
import { writeFlow } from '../blocks/write-flow.ts'
import { readTextFile } from '../encoding/read-text-file.ts'
import type { Parser } from '../parser.ts'
import { AsciidocReader } from './asciidoc-reader.ts'

/**
 * Reads AsciiDoc as it looks on the printed page. Includes no files and runs nothing. This parser is our own because asciidoctor.js takes
 * quadratic time for a line of blanks or of open marks, and overflows the stack on nested blocks.
 */
export const parseAsciidoc: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = await readTextFile(file, limits)
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const reader = new AsciidocReader(cleanText(text), flow, limits.textBytes)
  reader.read()
  const { pageCount } = writeFlow(flow, output)
  return { title: reader.title, pageCount, warnings: [], facts: { engine: 'asciidoc', encoding, confidence } }
}
