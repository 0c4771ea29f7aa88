import type { Readable } from 'node:stream'
import { DocsearchError } from '../../core/errors.ts'
import { encrypted, tooMuchXml } from '../failures.ts'
import { readXml } from '../package/xml.ts'
import { eachEntry } from '../package/zip.ts'

/** The kind of file, for messages. */
const DOCX = 'The DOCX'
export const DOCX_XML = { what: DOCX }
/** No text part of a DOCX needs a document type declaration, and one can define entities that expand without end. */
const DOCTYPE = Buffer.from('<!DOCTYPE')

/**
 * Inflates each XML part once and returns its bytes by name, because the sizes in the directory of a ZIP can be false.
 * Throws `corrupt` (no ZIP, broken, DOCTYPE), `too_many_entries`, `too_much_xml`, `encrypted`.
 */
export async function inspectDocx(file: string, xmlBytes: number): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  let total = 0
  let declared = 0
  await eachEntry(file, DOCX, async (entry, openStream) => {
    if (!/\.(xml|rels)$/i.test(entry.fileName)) return
    if (entry.isEncrypted()) throw encrypted()
    declared += entry.uncompressedSize
    // An archive that declares too much is refused before anything more is inflated.
    if (declared > xmlBytes) throw tooMuchXml(DOCX, declared, xmlBytes)
    let size = 0
    let tail = Buffer.alloc(0)
    for await (const chunk of await openStream()) {
      size += (chunk as Buffer).length
      total += (chunk as Buffer).length
      if (total > xmlBytes) throw tooMuchXml(DOCX, Math.max(total, declared), xmlBytes)
      const window = Buffer.concat([tail, chunk as Buffer])
      if (window.includes(DOCTYPE))
        throw new DocsearchError(
          'corrupt',
          'The DOCX has a document type declaration, which Word never writes. Save it again in Word and upload the new file.',
        )
      tail = Buffer.from(window.subarray(-(DOCTYPE.length - 1)))
    }
    sizes.set(entry.fileName, size)
  })
  return sizes
}

/** Reads the parts that `isWanted` chooses, in the order of the archive. `read` must consume each stream before the next is opened. */
export async function readParts(
  file: string,
  isWanted: (name: string) => boolean,
  read: (name: string, stream: Readable) => Promise<void>,
): Promise<void> {
  await eachEntry(file, DOCX, async (entry, openStream) => {
    if (isWanted(entry.fileName)) await read(entry.fileName, await openStream())
  })
}

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
