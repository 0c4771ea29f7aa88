import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileTypeFromFile } from 'file-type'
import { DocsearchError } from '../core/errors.ts'
import { byMark } from './encoding.ts'
import { DOCX, HTML, MARKDOWN, PDF, TEXT, WHAT_IS_READ } from './media-types.ts'
import { hasWordDocument } from './docx/zip.ts'
import { unmarkedUtf16 } from './utf16.ts'

const HEAD_BYTES = 64 * 1024
/** Acrobat takes a PDF whose header stands within the first 1,024 bytes; so do mail gateways that put lines before it. */
const PDF_HEADER_WITHIN = 1024

const WORD =
  /^application\/vnd\.(openxmlformats-officedocument\.wordprocessingml\.(document|template)|ms-word\.(document|template)\.macroenabled\.12)$/i
const KNOWN: Readonly<Record<string, string>> = {
  'application/zip': 'a ZIP archive that holds no Word document',
  'application/gzip': 'a gzip archive',
  'application/x-cfb': 'a file of an older Office format (DOC, XLS, PPT)',
  'application/rtf': 'an RTF document',
  'application/epub+zip': 'an EPUB book',
  'application/postscript': 'a PostScript file',
}
/**
 * Magic numbers made of letters: a text may begin with them, so these answers of file-type count only where the rest is no
 * text.
 */
const NEVER_TEXT = new Set(['application/rtf', 'text/rtf', 'application/postscript', 'application/eps'])

/**
 * What a file is, by its content. The name chooses only among the kinds of text, which content cannot always tell apart.
 * Throws DocsearchError `empty_file`, `unsupported_type` (the message names what it is) or `encrypted` (an Office file under
 * a password).
 */
export async function sniff(file: string, name: string): Promise<{ mediaType: string }> {
  const { head, size } = await readHead(file)
  if (size === 0) throw new DocsearchError('empty_file', 'The file is empty (0 bytes); upload it again from where it is whole')
  if (head.subarray(0, PDF_HEADER_WITHIN + 5).includes('%PDF-')) return { mediaType: PDF }

  const detected = await detect(file)
  if (detected !== null && WORD.test(detected)) return { mediaType: DOCX }
  if (detected === 'application/zip' && (await hasWordDocument(file))) return { mediaType: DOCX }
  if (detected === 'application/x-cfb' && (await contains(file, Buffer.from('EncryptedPackage', 'utf16le')))) {
    throw new DocsearchError('encrypted', 'The file is password-protected; save it without a password and upload it again')
  }
  if (looksLikeText(head) && !(detected !== null && NEVER_TEXT.has(detected))) return { mediaType: kindOfText(head, name) }
  throw unsupported(detected)
}

/** True where the bytes stand anywhere in the file, which is read in pieces. */
export async function contains(file: string, needle: Buffer): Promise<boolean> {
  const handle = await open(file)
  try {
    const piece = Buffer.alloc(1 << 20)
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

async function readHead(file: string): Promise<{ head: Buffer; size: number }> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const head = Buffer.alloc(Math.min(HEAD_BYTES, size))
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    return { head: head.subarray(0, bytesRead), size }
  } finally {
    await handle.close()
  }
}

async function detect(file: string): Promise<string | null> {
  try {
    return (await fileTypeFromFile(file))?.mime ?? null
  } catch {
    // A truncated or hostile container makes file-type throw; then what the bytes look like decides.
    return null
  }
}

/** No NUL and hardly a control character, or UTF-16. ESC stays allowed: ISO-2022-JP and terminal logs have it. */
function looksLikeText(head: Buffer): boolean {
  if (byMark(head) !== null || unmarkedUtf16(head) !== null) return true
  let control = 0
  for (const byte of head) {
    if (byte === 0) return false
    if ((byte < 32 && !(byte >= 8 && byte <= 13) && byte !== 27) || byte === 127) control++
  }
  return control <= head.length * 0.005
}

function kindOfText(head: Buffer, name: string): string {
  const extension = extname(name).toLowerCase()
  if (['.md', '.markdown', '.mdown', '.mkd'].includes(extension)) return MARKDOWN
  if (['.html', '.htm', '.xhtml'].includes(extension)) return HTML
  if (['.txt', '.text', '.log'].includes(extension)) return TEXT
  return beginsAsHtml(head.subarray(0, 2048).toString('latin1').replaceAll('\0', '')) ? HTML : TEXT
}

/** Step by step, because an expression for any number of comments takes for ever on some texts, and this runs in the daemon. */
function beginsAsHtml(start: string): boolean {
  let at = /^[^\w<]*/.exec(start)?.[0].length ?? 0
  const step = /(?:<\?xml[^>]*>|<!--[^]*?-->)\s*/y
  for (step.lastIndex = at; step.test(start);) at = step.lastIndex
  return /^<(?:!doctype\s+html|html|head|body)[\s>]/i.test(start.slice(at, at + 50))
}

function unsupported(detected: string | null): DocsearchError {
  const what = detected === null ? 'a binary file of an unknown kind' : (KNOWN[detected] ?? `a file of type ${detected}`)
  return new DocsearchError('unsupported_type', `This is ${what}; ${WHAT_IS_READ}; ${adviceOn(detected)}`, {
    details: { detected: detected ?? 'application/octet-stream' },
  })
}

function adviceOn(detected: string | null): string {
  if (detected === 'application/zip' || detected === 'application/gzip') return 'upload the files in it'
  return 'if there is text in it, save it from its own program as PDF or DOCX and upload that'
}
