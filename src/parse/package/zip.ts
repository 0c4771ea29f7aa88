import { readFile, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { DocsearchError } from '../../core/errors.ts'
import { corrupt, tooManyEntries } from '../failures.ts'

/** The files that an archive may contain. */
export const MAX_ENTRIES = 5_000
const END_OF_DIRECTORY = Buffer.from('PK\x05\x06', 'latin1')
const END_BYTES = 22
/** A larger file is not repaired, because this takes all of it into memory. */
const MAX_REPAIRED_BYTES = 64_000_000

/** Visits the files of a ZIP archive in their order. Throws `corrupt`, `too_many_entries`. */
export async function eachEntry(
  file: string,
  what: string,
  visit: (entry: Entry, openStream: () => Promise<Readable>) => Promise<void>,
): Promise<void> {
  await withZip(file, what, async (zip) => {
    // The archive declares this count, and no more entries are read. So many would take longer than most documents.
    if (zip.entryCount > MAX_ENTRIES) throw tooManyEntries(what, MAX_ENTRIES)
    for await (const entry of zip.eachEntry()) await visit(entry, () => zip.openReadStreamPromise(entry))
  })
}

/**
 * Opens a ZIP archive while `use` runs. A stream of it ends with an error if it has another length than the directory says.
 * @param what The kind of file, for messages: `The DOCX`.
 */
export async function withZip<T>(file: string, what: string, use: (zip: ZipFile) => Promise<T>): Promise<T> {
  // Names stay bytes, because yauzl refuses the whole archive for an odd one, such as `/content.xml`. They are only compared, never used as paths.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false }
  const zip = await yauzl
    .openPromise(file, options)
    .catch(async (cause: unknown) => {
      if (!(cause as Error).message.startsWith('Invalid comment length')) throw cause
      return yauzl.fromBufferPromise(await withRightComment(file), options)
    })
    .catch((cause: unknown) => {
      throw corrupt(what, cause)
    })
  try {
    return await use(withNames(zip))
  } catch (cause) {
    // A TypeError is a mistake in docsearch, not in the file.
    throw cause instanceof DocsearchError || cause instanceof TypeError ? cause : corrupt(what, cause)
  } finally {
    zip.close()
  }
}

/** Decodes the names of the entries. */
function withNames(zip: ZipFile): ZipFile {
  const eachEntry = zip.eachEntry.bind(zip)
  zip.eachEntry = async function* () {
    for await (const entry of eachEntry()) {
      entry.fileName = yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
      yield entry
    }
  }
  return zip
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
