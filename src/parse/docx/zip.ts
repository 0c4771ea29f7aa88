import { readFile, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { DocsearchError } from '../../core/errors.ts'
import { corrupt, encrypted, tooManyEntries, tooMuchXml } from '../failures.ts'

const MAX_ENTRIES = 5_000
const END_OF_DIRECTORY = Buffer.from('PK\x05\x06', 'latin1')
const END_BYTES = 22
/** A larger file is not repaired, because this takes all of it into memory. */
const MAX_REPAIRED_BYTES = 64_000_000
/** No text part of a DOCX needs a document type declaration, and one can define entities that expand without end. */
const DOCTYPE = Buffer.from('<!DOCTYPE')

/** True for a ZIP archive with `word/document.xml` among its first 5,000 entries. False for a broken archive. */
export async function hasWordDocument(file: string): Promise<boolean> {
  try {
    return await withZip(file, async (zip) => {
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
  await eachEntry(file, async (entry, openStream) => {
    if (!/\.(xml|rels)$/i.test(entry.fileName)) return
    if (entry.isEncrypted()) throw encrypted()
    declared += entry.uncompressedSize
    // An archive that declares too much is refused before anything more is inflated.
    if (declared > xmlBytes) throw tooMuchXml(declared, xmlBytes)
    let size = 0
    let tail = Buffer.alloc(0)
    for await (const chunk of await openStream()) {
      size += (chunk as Buffer).length
      total += (chunk as Buffer).length
      if (total > xmlBytes) throw tooMuchXml(Math.max(total, declared), xmlBytes)
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
  await eachEntry(file, async (entry, openStream) => {
    if (isWanted(entry.fileName)) await read(entry.fileName, await openStream())
  })
}

async function eachEntry(
  file: string,
  visit: (entry: Entry, openStream: () => Promise<Readable>) => Promise<void>,
): Promise<void> {
  await withZip(file, async (zip) => {
    // The archive declares this count, and no more entries are read. So many would take longer than most documents.
    if (zip.entryCount > MAX_ENTRIES) throw tooManyEntries(MAX_ENTRIES)
    for await (const entry of zip.eachEntry()) await visit(entry, () => zip.openReadStreamPromise(entry))
  })
}

async function withZip<T>(file: string, use: (zip: ZipFile) => Promise<T>): Promise<T> {
  // Odd names are harmless, because names are only compared and never used as paths.
  const options = { lazyEntries: true, autoClose: false }
  const zip = await yauzl
    .openPromise(file, options)
    .catch(async (cause: unknown) => {
      if (!(cause as Error).message.startsWith('Invalid comment length')) throw cause
      return yauzl.fromBufferPromise(await withRightComment(file), options)
    })
    .catch((cause: unknown) => {
      throw corrupt('The DOCX', cause)
    })
  try {
    return await use(zip)
  } catch (cause) {
    throw cause instanceof DocsearchError ? cause : corrupt('The DOCX', cause)
  } finally {
    zip.close()
  }
}

/** Returns a ZIP with the right length of its comment. Some programs write a wrong one, and other tools don't look at it. */
async function withRightComment(file: string): Promise<Buffer> {
  if ((await stat(file)).size > MAX_REPAIRED_BYTES) throw new Error('The comment of the ZIP has another length than it says.')
  const bytes = await readFile(file)
  const end = bytes.lastIndexOf(END_OF_DIRECTORY)
  if (end < 0 || end + END_BYTES > bytes.length) throw new Error('The ZIP has no directory.')
  bytes.writeUInt16LE(bytes.length - end - END_BYTES, end + END_BYTES - 2)
  return bytes
}
