import { readXml } from '../package/xml.ts'
import { DOCX_XML, readParts } from './zip.ts'

/** The part where Word puts the body. Other programs name their part in the relationships of the package. */
const USUAL_MAIN = 'word/document.xml'

export const NOTES = /^(?:.+\/)?(?:footnotes|endnotes)\d*\.xml$/
/** Parts that mammoth doesn't read: headers, footers, comments and the text of diagrams. */
export const MARGINS = /^(?:.+\/)?(?:header\d*|footer\d*|comments|diagrams\/data\d+)\.xml$/
export const PROPERTIES = 'docProps/core.xml'
export const NUMBERING = /^(?:.+\/)?numbering\d*\.xml$/
export const STYLES = /^(?:.+\/)?styles\d*\.xml$/

/** Parts that mammoth reads in addition to the body and the notes. */
const ABOUT_TEXT = /^\[Content_Types\]\.xml$|\.rels$|^(?:.+\/)?(?:styles|numbering)\d*\.xml$/

/** Returns the name of the part with the body. */
export async function mainPart(file: string, names: ReadonlyMap<string, number>): Promise<string> {
  let main = USUAL_MAIN
  await readParts(
    file,
    (name) => name === '_rels/.rels',
    (_name, stream) =>
      readXml(stream, DOCX_XML, {
        open({ name, attribute }) {
          const target = attribute('Target')?.replace(/^\//, '') ?? ''
          if (name === 'Relationship' && attribute('Type')?.endsWith('/officeDocument') && names.has(target)) main = target
        },
      }),
  )
  return main
}

/** True for the parts that mammoth reads, in a document whose body is `main`. */
export function isForMammoth(name: string, main: string): boolean {
  return name === main || NOTES.test(name) || ABOUT_TEXT.test(name)
}
