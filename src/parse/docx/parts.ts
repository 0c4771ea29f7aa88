import { readXml } from './xml.ts'
import { readParts } from './zip.ts'

/** Where Word puts it; other programs say where in the package's relationships. */
const USUAL_MAIN = 'word/document.xml'

export const NOTES = /^(?:.+\/)?(?:footnotes|endnotes)\d*\.xml$/
/** What mammoth leaves out: headers, footers, comments and the text of diagrams. */
export const MARGINS = /^(?:.+\/)?(?:header\d*|footer\d*|comments|diagrams\/data\d+)\.xml$/
export const PROPERTIES = 'docProps/core.xml'
export const STYLES = /^(?:.+\/)?styles\d*\.xml$/

/** What mammoth asks for besides the body and the notes. */
const ABOUT_TEXT = /^\[Content_Types\]\.xml$|\.rels$|^(?:.+\/)?(?:styles|numbering)\d*\.xml$/

/** The part that holds the body. */
export async function mainPart(file: string, names: ReadonlyMap<string, number>): Promise<string> {
  let main = USUAL_MAIN
  await readParts(
    file,
    (name) => name === '_rels/.rels',
    (_name, stream) =>
      readXml(stream, {
        open({ name, attribute }) {
          const target = attribute('Target')?.replace(/^\//, '') ?? ''
          if (name === 'Relationship' && attribute('Type')?.endsWith('/officeDocument') && names.has(target)) main = target
        },
      }),
  )
  return main
}

/** Whether mammoth reads this part, of a document with this body. */
export function isForMammoth(name: string, main: string): boolean {
  return name === main || NOTES.test(name) || ABOUT_TEXT.test(name)
}
