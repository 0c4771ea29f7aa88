import type { Readable } from 'node:stream'
import { DocsearchError } from '../../core/errors.ts'
import { encrypted, tooMuchXml } from '../failures.ts'
import { eachEntry, MAX_ENTRIES, withZip } from '../package/zip.ts'

/** The kind of file, for messages. */
const DOCX = 'The DOCX'
export const DOCX_XML = { what: DOCX }
/** No text part of a DOCX needs a document type declaration, and one can define entities that expand without end. */
const DOCTYPE = Buffer.from('<!DOCTYPE')

/** True for a ZIP archive with `word/document.xml` among its first 5,000 entries. False for a broken archive. */
export async function hasWordDocument(file: string): Promise<boolean> {
  try {
    return await withZip(file, DOCX, async (zip) => {
      let count = 0
      for await (const { fileName } of zip.eachEntry()) {
        if (fileName === 'word/document.xml') return true
        if (++count === MAX_ENTRIES) return false
      }
      return false
    })
  } catch {
    return false
  }
}

export interface DocxParts {
  /** Inflated bytes of each XML part, by name. */
  sizes: Map<string, number>
}

/**
 * Inflates each XML part once and counts its bytes, because the sizes in the directory of a ZIP can be false.
 * Throws `corrupt` (no ZIP, broken, DOCTYPE), `too_many_entries`, `too_much_xml`, `encrypted`.
 */
export async function inspectDocx(file: string, xmlBytes: number): Promise<DocxParts> {
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
  return { sizes }
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
