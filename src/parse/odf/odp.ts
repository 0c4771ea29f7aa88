import { Flow } from '../blocks/flow.ts'
import { writeFlow } from '../blocks/write-flow.ts'
import { together } from '../ooxml/drawing-text.ts'
import type { Parser } from '../parser.ts'
import { CONTENT, withOdf } from './open-odf.ts'
import { OdfStyles } from './styles.ts'
import { OdfTextReader } from './text-reader.ts'

const ODP = 'The ODP'

/** Reads an OpenDocument presentation. A page is a slide: its title as heading, its texts and tables, and the speaker's notes. */
export const parseOdp: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const title = await withOdf({ file, limits }, ODP, async (parts) => {
    const styles = new OdfStyles()
    const reader = new OdfTextReader(flow, styles)
    await parts.readXml(CONTENT, together(styles, reader))
    reader.finish()
  })
  const { pageCount, firstHeading } = writeFlow(flow, output)
  return { title: title ?? firstHeading?.text ?? null, pageCount, warnings: [], facts: { engine: 'odf' } }
}
