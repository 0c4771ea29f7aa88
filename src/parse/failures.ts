import { DocsearchError } from '../core/errors.ts'
import { formatNames, formatOf } from '../core/formats.ts'

const MB = 1_000_000
const RESAVE = 'Open it in the program that made it, save it again and upload the new file.'

export function emptyFile(): DocsearchError {
  return new DocsearchError('empty_file', 'The file is empty (0 bytes). Check the original and upload it again.')
}

/**
 * @param what What the file is, e.g. 'an RTF document'.
 * @param isArchive The file holds other files, which can be uploaded instead.
 * @param detected Its media type, for programs.
 */
export function unsupportedType(what: string, isArchive: boolean, detected: string): DocsearchError {
  const advice = isArchive ? 'Upload the files in it.' : 'If it contains text, save it as PDF or DOCX and upload that.'
  return new DocsearchError('unsupported_type', `This is ${what}, but docsearch reads only ${formatNames('and')}. ${advice}`, {
    details: { detected },
  })
}

/**
 * A file that the user can save in a format that docsearch reads.
 * @param what `a workbook of Excel 97–2003`
 * @param advice What to do, as a sentence.
 */
export function convertible(what: string, advice: string, detected: string): DocsearchError {
  return new DocsearchError('unsupported_type', `This is ${what}, which docsearch can't read. ${advice}`, {
    details: { detected, convertible: true },
  })
}

/** A picture, on an instance without an OCR program. */
export function noOcr(mediaType: string): DocsearchError {
  const message = `This is a picture (${formatOf(mediaType)?.name ?? mediaType}), and this instance has no OCR program to find the text in it. Set parse.ocr_command on the instance, or run the picture through an OCR program such as ocrmypdf and upload the PDF.`
  return new DocsearchError('unsupported_type', message, { details: { detected: mediaType } })
}

export function encrypted(): DocsearchError {
  return new DocsearchError('encrypted', 'The file needs a password. Remove the password and upload it again.')
}

/** An Office file. Excel uses a password of its own for some workbooks, and doesn't ask for it. */
export function encryptedOffice(): DocsearchError {
  return new DocsearchError(
    'encrypted',
    'The file is encrypted. Remove the password (in Office: File › Info › Protect › Encrypt with Password) and upload it again. Excel also encrypts some workbooks that it opens without a password; save those as a new XLSX file.',
  )
}

export function protectedByDrm(): DocsearchError {
  return new DocsearchError(
    'drm_protected',
    'The book has digital rights management (DRM), so only certain apps can read it. Upload a copy without DRM if you have one.',
  )
}

/** @param what The kind of file, e.g. 'The PDF'. */
export function corrupt(what: string, cause?: unknown): DocsearchError {
  return new DocsearchError('corrupt', `${what} is damaged and cannot be read. ${RESAVE}`, { cause })
}

export function tooManyPages(pages: number, limit: number): DocsearchError {
  return new DocsearchError(
    'too_many_pages',
    `The document has ${pages} pages, more than the limit of ${limit}. Split it, or raise limits.pages.`,
    { details: { pages, limit } },
  )
}

export function tooMuchText(limit: number): DocsearchError {
  return new DocsearchError(
    'too_much_text',
    `The document has more text than the limit of ${limit / MB} MB. Split it, or raise limits.text_bytes.`,
    { details: { limit } },
  )
}

/**
 * @param what The kind of file, e.g. 'The DOCX'.
 * @param found Bytes counted until the limit was passed, or the sum that the archive itself declares if that is larger.
 */
export function tooMuchXml(what: string, found: number, limit: number): DocsearchError {
  return new DocsearchError(
    'too_much_xml',
    `${what} unpacks to at least ${found} bytes of XML, more than the limit of ${limit}. Split it, or raise limits.xml_bytes.`,
    { details: { found, limit } },
  )
}

/** @param what The kind of file, e.g. 'The DOCX'. */
export function tooManyEntries(what: string, limit: number): DocsearchError {
  return new DocsearchError('too_many_entries', `${what} contains more than ${limit} files, the limit. ${RESAVE}`, {
    details: { limit },
  })
}

/** @param stalled No page came for too long; otherwise the document took too long in total. */
export function timedOut(limitMs: number, stalled: boolean): DocsearchError {
  const seconds = `${limitMs / 1000} s`
  const [what, setting] = stalled
    ? [`No new page of the document could be read for more than ${seconds}, the limit.`, 'limits.parse_stall_ms']
    : [`Reading the document took more than ${seconds}, the limit.`, 'limits.parse_ms']
  return new DocsearchError('parse_timeout', `${what} Split it or save it again, or raise ${setting}.`, {
    details: { limit_ms: limitMs },
  })
}

export function outOfMemory(limitBytes: number, cause?: unknown): DocsearchError {
  const mib = Math.round(limitBytes / 2 ** 20)
  return new DocsearchError(
    'parse_memory',
    `Reading the document took more than ${mib} MiB of memory, the limit. Split it or save it again, or raise limits.parse_memory_bytes.`,
    { details: { limit: limitBytes }, cause },
  )
}

/** The parser itself failed. */
export function crashed(cause?: unknown): DocsearchError {
  return new DocsearchError(
    'parser_crashed',
    `The document cannot be read: it crashes the parser. Save it again (for a PDF: print it to a new PDF) and upload the new file.`,
    { cause },
  )
}

/** The operating system refused to start a parser process. */
export function noProcess(cause: Error): DocsearchError {
  return new DocsearchError(
    'parser_crashed',
    'A parser process cannot be started. Check that the machine has free memory and processes, then reprocess the document.',
    { fault: 'outside', cause },
  )
}

export function poolClosed(): DocsearchError {
  return new DocsearchError('parser_crashed', 'The instance is shutting down. It reads the document after its next start.', {
    fault: 'internal',
  })
}
