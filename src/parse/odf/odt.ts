import { Flow } from '../blocks/flow.ts'
import { writeFlow } from '../blocks/write-flow.ts'
import { together } from '../ooxml/drawing-text.ts'
import type { Parser } from '../parser.ts'
import { ListStyles } from './list-styles.ts'
import { readOdf } from './open-odf.ts'
import { OdfStyles } from './styles.ts'
import { OdfMargins, OdfTextReader } from './text-reader.ts'

const ODT = 'The ODT'

/**
 * Reads an OpenDocument text. A page ends where the author broke it, or where the writing program broke it when it last saved the
 * file. Notes, comments, headers and footers follow the text.
 */
export const parseOdt: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages }, { hasMarks: true })
  const styles = new OdfStyles()
  const margins = new OdfMargins()
  const lists = new ListStyles()
  const reader = new OdfTextReader(flow, styles, lists)
  const title = await readOdf({ file, limits }, ODT, { styles: together(styles, lists, margins), body: reader })
  reader.finish()
  for (const line of margins.lines) {
    flow.text(line)
    flow.end('paragraph')
  }
  const { pageCount, firstHeading } = writeFlow(flow, output)
  return {
    title: title ?? (firstHeading?.level === 1 ? firstHeading.text : null),
    pageCount,
    warnings: [],
    facts: { engine: 'odf' },
  }
}
