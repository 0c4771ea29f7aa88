import { Flow } from '../blocks/flow.ts'
import { writeFlow } from '../blocks/write-flow.ts'
import { together } from '../ooxml/drawing-text.ts'
import type { Parser } from '../parser.ts'
import { ListStyles } from './list-styles.ts'
import { readOdf } from './open-odf.ts'
import { OdfStyles } from './styles.ts'
import { OdfTextReader } from './text-reader.ts'

const ODP = 'The ODP'

/** Reads an OpenDocument presentation. A page is a slide: its title as heading, its texts and tables, and the speaker's notes. */
export const parseOdp: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages }, { hasMarks: true })
  const styles = new OdfStyles()
  const lists = new ListStyles()
  const reader = new OdfTextReader(flow, styles, lists)
  const title = await readOdf({ file, limits }, ODP, { styles: together(styles, lists), body: reader })
  reader.finish()
  const { pageCount, firstHeading } = writeFlow(flow, output)
  return { title: title ?? firstHeading?.text ?? null, pageCount, warnings: [], facts: { engine: 'odf' } }
}
