import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { MAX_ENTRIES, withZip } from '../package/zip.ts'

/** The parts that say what a package is have at most some kilobytes. */
const MAX_TOLD_BYTES = 1_000_000

/** What a ZIP archive says about its content. */
export interface Archive {
  /** Names of its first files, in lower case. */
  names: ReadonlySet<string>
  /** The file `mimetype` of an OpenDocument file or EPUB. */
  mediaType: string
  /** The types of the parts of an Office Open XML file. */
  contentTypes: string
}

/** Looks into a ZIP archive; null for any other or broken file. */
export async function readArchive(file: string): Promise<Archive | null> {
  try {
    return await withZip(file, 'The archive', async (zip) => {
      const names = new Set<string>()
      const archive = { names, mediaType: '', contentTypes: '' }
      for await (const entry of zip.eachEntry()) {
        const name = entry.fileName.replace(/^\/+/, '').toLowerCase()
        names.add(name)
        if (name === 'mimetype') archive.mediaType = (await textOf(await zip.openReadStreamPromise(entry))).trim()
        else if (name === '[content_types].xml') archive.contentTypes = await textOf(await zip.openReadStreamPromise(entry))
        if (names.size === MAX_ENTRIES) break
      }
      return archive
    })
  } catch {
    return null
  }
}

/** True for a ZIP archive with `word/document.xml` among its first 5,000 entries. False for a broken archive. */
export async function hasWordDocument(file: string): Promise<boolean> {
  try {
    return await withZip(file, 'The archive', async (zip) => {
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

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > MAX_TOLD_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

const PIECE_BYTES = 1 << 20

/** True if the bytes occur anywhere in the file. Reads the file in pieces. */
export async function contains(file: string, needle: Buffer): Promise<boolean> {
  const handle = await open(file)
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    let kept = 0
    for (;;) {
      const { bytesRead } = await handle.read(piece, kept, piece.length - kept)
      if (bytesRead === 0) return false
      const filled = kept + bytesRead
      if (piece.subarray(0, filled).includes(needle)) return true
      // The needle may lie across two pieces.
      kept = Math.min(needle.length - 1, filled)
      piece.copyWithin(0, filled - kept, filled)
    }
  } finally {
    await handle.close()
  }
}
