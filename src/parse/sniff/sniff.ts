import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileTypeFromFile } from 'file-type'
import { DocsearchError } from '../../core/errors.ts'
import { FORMAT_IDS, FORMATS, type FormatId } from '../../core/formats.ts'
import { byMark } from '../encoding/decode.ts'
import { unmarkedUtf16 } from '../encoding/detect.ts'
import { convertible, emptyFile, encryptedOffice, unsupportedType } from '../failures.ts'
import { READERS, type SniffedFile } from '../readers.ts'
import { type Archive, readArchive, contains } from './archive.ts'
import { type OtherFormat, otherFormatOf } from './other-formats.ts'

const HEAD_BYTES = 64 * 1024
const ZIP = Buffer.from('PK\x03\x04', 'latin1')
/** How much of a text says which format it begins like. */
const START_BYTES = 2048
/** Share of control characters above which a file is not text. */
const MAX_CONTROL_SHARE = 0.005

const KNOWN: Readonly<Record<string, string>> = {
  'application/zip': 'a ZIP archive that is not a document',
  'application/gzip': 'a gzip archive',
  'application/postscript': 'a PostScript file',
}
/**
 * Types that file-type always gets right for a file of text. It takes other texts for binary files when they happen to begin
 * with the letters of a signature ("BM" for a bitmap), so its other answers count only for files that are not text.
 */
const NEVER_TEXT = new Set(['application/postscript', 'application/eps'])

/**
 * Finds the format of a file by its content. The name chooses only among the text formats, which content can't always tell
 * apart.
 * Throws DocsearchError `empty_file`, `unsupported_type` (the message names what the file is) or `encrypted` (an Office file
 * with a password).
 */
export async function sniff(path: string, name: string): Promise<{ mediaType: string }> {
  const { head, size } = await readHead(path)
  if (size === 0) throw emptyFile()
  let type: Promise<string | null> | undefined
  let archive: Promise<Archive | null> | undefined
  const file: SniffedFile = {
    path,
    name,
    head,
    detected: () => (type ??= detectType(path)),
    archive: () => (archive ??= isZip(head) ? readArchive(path) : Promise.resolve(null)),
  }
  for (const id of FORMAT_IDS) {
    const reader = READERS[id]
    if (reader.kind === 'binary' && (await reader.isFormatOf(file))) return { mediaType: FORMATS[id].mediaType }
  }
  const detected = await file.detected()
  const damaged = isZip(head) && (await file.archive()) === null && FORMAT_IDS.find((id) => FORMATS[id].mediaType === detected)
  // The parser of this format reports that the file is damaged.
  if (damaged) return { mediaType: FORMATS[damaged].mediaType }
  if (detected === 'application/x-cfb' && (await contains(path, Buffer.from('EncryptedPackage', 'utf16le'))))
    throw encryptedOffice()
  if (!looksLikeText(head) || (detected !== null && NEVER_TEXT.has(detected)))
    throw unsupported(detected, otherFormatOf(detected, await file.archive(), name))
  return { mediaType: FORMATS[textFormatOf(head, name)].mediaType }
}

async function readHead(path: string): Promise<{ head: Buffer; size: number }> {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const head = Buffer.alloc(Math.min(HEAD_BYTES, size))
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    return { head: head.subarray(0, bytesRead), size }
  } finally {
    await handle.close()
  }
}

function isZip(head: Buffer): boolean {
  return head.subarray(0, ZIP.length).equals(ZIP)
}

async function detectType(path: string): Promise<string | null> {
  try {
    return (await fileTypeFromFile(path))?.mime ?? null
  } catch {
    // A truncated or hostile container makes file-type throw. The caller then goes by the first bytes alone.
    return null
  }
}

/** True for UTF-16, and for bytes without NUL and nearly without control characters. ESC is allowed: ISO-2022-JP and terminal logs have it. */
function looksLikeText(head: Buffer): boolean {
  if (byMark(head) !== null || unmarkedUtf16(head) !== null) return true
  let control = 0
  for (const byte of head) {
    if (byte === 0) return false
    if ((byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27) || byte === 127) control++
  }
  return control <= head.length * MAX_CONTROL_SHARE
}

function textFormatOf(head: Buffer, name: string): FormatId {
  const texts = FORMAT_IDS.filter((id) => READERS[id].kind === 'text')
  const extension = extname(name).toLowerCase()
  const byName = texts.find((id) => (FORMATS[id].extensions as readonly string[]).includes(extension))
  if (byName !== undefined) return byName
  const byWholeName = texts.find((id) => {
    const reader = READERS[id]
    return reader.kind === 'text' && reader.isNameOf?.(name)
  })
  if (byWholeName !== undefined) return byWholeName
  const start = head.subarray(0, START_BYTES).toString('latin1').replaceAll('\0', '')
  const byStart = texts.find((id) => {
    const reader = READERS[id]
    return reader.kind === 'text' && reader.beginsLike?.(start)
  })
  return byStart ?? 'text'
}

function unsupported(detected: string | null, other: OtherFormat | null): DocsearchError {
  const mediaType = detected ?? 'application/octet-stream'
  if (other !== null) return convertible(other.what, other.advice, mediaType)
  const what = detected === null ? 'a binary file of an unknown type' : (KNOWN[detected] ?? `a file of type ${detected}`)
  const isArchive = detected === 'application/zip' || detected === 'application/gzip'
  return unsupportedType(what, isArchive, mediaType)
}
