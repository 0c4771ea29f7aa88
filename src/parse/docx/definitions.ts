import { isDocsearchError } from '../../core/errors.ts'
import { cleanTitle } from '../blocks/clean-title.ts'
import { emptyNumbering, type Numbering, readNumbering } from './numbering.ts'
import { NUMBERING, PROPERTIES, STYLES } from './parts.ts'
import { type ParagraphStyles, readStyles } from './styles.ts'
import { readElementText } from '../package/xml.ts'
import { DOCX_XML, readParts } from './zip.ts'

/** What the paragraphs of a DOCX refer to. */
export interface DocxDefinitions {
  styles: ParagraphStyles
  numbering: Numbering
}

/** Reads the title, the styles and the lists of a DOCX. */
export async function readDefinitions(file: string): Promise<{ title: string | null; definitions: DocxDefinitions }> {
  let title: string | null = null
  const definitions: DocxDefinitions = { styles: new Map(), numbering: emptyNumbering() }
  await readParts(
    file,
    (name) => name === PROPERTIES || STYLES.test(name) || NUMBERING.test(name),
    async (name, part) => {
      try {
        if (name === PROPERTIES) title = cleanTitle(await readElementText(part, DOCX_XML, 'title'))
        else if (STYLES.test(name)) definitions.styles = await readStyles(part)
        else definitions.numbering = await readNumbering(part)
      } catch (error) {
        // Broken properties are no reason to refuse the document.
        if (!isDocsearchError(error, 'corrupt')) throw error
      }
    },
  )
  return { title, definitions }
}
