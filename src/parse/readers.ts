import { extname } from 'node:path'
import { FORMAT_IDS, type FormatId, FORMATS } from '../core/formats.ts'
import { beginsAsScript, isCodeName } from './code/languages.ts'
import type { Parser } from './parser.ts'
import {
  beginsAsHtml,
  beginsAsJson,
  beginsAsLatex,
  beginsAsMail,
  beginsAsMailbox,
  beginsAsRtf,
  pictureKind,
} from './sniff/begins-as.ts'
import { type Archive, contains, hasWordDocument } from './sniff/archive.ts'

/** Adobe Acrobat opens a PDF whose header is within the first 1,024 bytes. Some mail gateways put lines before it. */
const PDF_HEADER_WITHIN = 1024
const PDF_HEADER = Buffer.from('%PDF-')
/** The header after other bytes: at the beginning of a line, or after a byte that is no text. */
const LATER_PDF_HEADER = /[^\t\x20-\x7e]%PDF-\d\.\d/
/** Documents and templates, with and without macros. */
const WORD =
  /^application\/vnd\.(openxmlformats-officedocument\.wordprocessingml\.(document|template)|ms-word\.(document|template)\.macroenabled\.12)$/i

/** Presentations, slide shows and templates. */
const POWERPOINT = /(?:presentationml|ms-powerpoint)\.(?:presentation|slideshow|template)(?:\.macroenabled)?\.main\+xml/i

/** Workbooks and templates. */
const EXCEL = /(?:spreadsheetml|ms-excel)\.(?:sheet|template)(?:\.macroenabled)?\.main\+xml/i

/** An OpenDocument file that is one XML file names its type at its beginning. */
const FLAT_ODF = /^(?:\xEF\xBB\xBF)?\s*(?:<\?xml[^>]*>\s*)?<office:document\s[^>]*\soffice:mimetype\s*=\s*["']([^"']+)["']/
/** The stream that every message of Outlook has. Office documents of the same container don't have it. */
const OUTLOOK_PROPERTIES = Buffer.from('__properties_version1.0', 'utf16le')

/** What the sniffer knows of a file. */
export interface SniffedFile {
  path: string
  /** The name of the upload. */
  name: string
  /** The first bytes, at most 64 KiB. */
  head: Buffer
  /** The media type that the package file-type finds; null if it finds none. */
  detected(): Promise<string | null>
  /** What a ZIP archive says about its content; null for any other file. */
  archive(): Promise<Archive | null>
}

/** How one format is recognised and read. Its names, media type and extensions are in core/formats.ts. */
export type FormatReader = { load(): Promise<Parser> } & (
  | { kind: 'binary'; isFormatOf(file: SniffedFile): boolean | Promise<boolean> }
  /**
   * The extension of its name decides the format of a text. Without a known extension, the whole name decides, such as Dockerfile, or the beginning
   * of the text.
   */
  | { kind: 'text'; isNameOf?(name: string): boolean; beginsLike?(start: string): boolean }
)

/** Loads a parser when the first document needs it. */
export const READERS: Readonly<Record<FormatId, FormatReader>> = {
  pdf: {
    kind: 'binary',
    isFormatOf: ({ head, name }) => head.subarray(0, PDF_HEADER.length).equals(PDF_HEADER) || hasPdfHeader(head, name),
    load: async () => (await import('./pdf/pdf.ts')).parsePdf,
  },
  docx: {
    kind: 'binary',
    async isFormatOf({ path, detected }) {
      const type = await detected()
      if (type !== null && WORD.test(type)) return true
      return type === 'application/zip' && hasWordDocument(path)
    },
    load: async () => (await import('./docx/docx.ts')).parseDocx,
  },
  pptx: {
    kind: 'binary',
    isFormatOf: async ({ archive }) => isOoxml(await archive(), POWERPOINT, 'ppt/presentation.xml'),
    load: async () => (await import('./pptx/pptx.ts')).parsePptx,
  },
  xlsx: {
    kind: 'binary',
    isFormatOf: async ({ archive }) => isOoxml(await archive(), EXCEL, 'xl/workbook.xml'),
    load: async () => (await import('./xlsx/xlsx.ts')).parseXlsx,
  },
  odt: {
    kind: 'binary',
    isFormatOf: (file) => isOdf(file, 'text'),
    load: async () => (await import('./odf/text-and-slides.ts')).parseOdt,
  },
  odp: {
    kind: 'binary',
    isFormatOf: (file) => isOdf(file, 'presentation'),
    load: async () => (await import('./odf/text-and-slides.ts')).parseOdp,
  },
  ods: {
    kind: 'binary',
    isFormatOf: (file) => isOdf(file, 'spreadsheet'),
    load: async () => (await import('./odf/ods.ts')).parseOds,
  },
  epub: {
    kind: 'binary',
    async isFormatOf({ archive }) {
      const { mediaType, names } = (await archive()) ?? { mediaType: '', names: new Set<string>() }
      return mediaType === 'application/epub+zip' || (mediaType === '' && names.has('meta-inf/container.xml'))
    },
    load: async () => (await import('./epub/epub.ts')).parseEpub,
  },
  rtf: {
    kind: 'binary',
    isFormatOf: ({ head }) => beginsAsRtf(head),
    load: async () => (await import('./rtf/rtf.ts')).parseRtf,
  },
  eml: {
    kind: 'binary',
    isFormatOf: ({ head, name }) =>
      beginsAsMail(startOf(head), isNamed(name, 'eml')) &&
      (isNamed(name, 'eml') || !(beginsAsMailbox(startOf(head)) || isNamedAsText(name))),
    load: async () => (await import('./mail/eml.ts')).parseEml,
  },
  mbox: {
    kind: 'binary',
    isFormatOf: ({ head, name }) => beginsAsMailbox(startOf(head)) && !isNamedAsText(name),
    load: async () => (await import('./mail/mbox.ts')).parseMbox,
  },
  msg: {
    kind: 'binary',
    isFormatOf: async ({ path, detected }) =>
      (await detected()) === 'application/x-cfb' && (await contains(path, OUTLOOK_PROPERTIES)),
    load: async () => (await import('./mail/msg.ts')).parseMsg,
  },
  png: pictureReader('png'),
  jpeg: pictureReader('jpeg'),
  tiff: pictureReader('tiff'),
  text: { kind: 'text', load: async () => (await import('./text/text.ts')).parseText },
  markdown: { kind: 'text', load: async () => (await import('./markdown/markdown.ts')).parseMarkdown },
  rst: { kind: 'text', load: async () => (await import('./markup/rst.ts')).parseRst },
  asciidoc: { kind: 'text', load: async () => (await import('./asciidoc/asciidoc.ts')).parseAsciidoc },
  latex: { kind: 'text', beginsLike: beginsAsLatex, load: async () => (await import('./markup/latex.ts')).parseLatex },
  csv: { kind: 'text', load: async () => (await import('./csv/csv.ts')).parseCsv },
  code: {
    kind: 'text',
    isNameOf: isCodeName,
    beginsLike: beginsAsScript,
    load: async () => (await import('./code/code.ts')).parseCode,
  },
  json: { kind: 'text', beginsLike: beginsAsJson, load: async () => (await import('./json/json.ts')).parseJson },
  html: { kind: 'text', beginsLike: beginsAsHtml, load: async () => (await import('./html/html.ts')).parseHtml },
}

/** The media types of text files. Reading a text file takes a small part of the time that indexing it takes. */
export const TEXT_MEDIA_TYPES: readonly string[] = FORMAT_IDS.filter((id) => READERS[id].kind === 'text').map(
  (id) => FORMATS[id].mediaType,
)

function pictureReader(kind: 'png' | 'jpeg' | 'tiff'): FormatReader {
  return {
    kind: 'binary',
    isFormatOf: ({ head }) => pictureKind(head) === kind,
    load: async () => (await import('./picture/picture.ts')).parsePicture,
  }
}

const START_BYTES = 16 * 1024

/** The header of a message is ASCII, whatever follows. */
function startOf(head: Buffer): string {
  return head.subarray(0, START_BYTES).toString('latin1')
}

function isNamed(name: string, format: FormatId): boolean {
  return (FORMATS[format].extensions as readonly string[]).includes(extname(name).toLowerCase())
}

/** A text that begins with a header, such as a saved page of the archive of a list, is a text if its name says so. */
function isNamedAsText(name: string): boolean {
  return (Object.keys(READERS) as FormatId[]).some((format) => READERS[format].kind === 'text' && isNamed(name, format))
}

function isOoxml(archive: Archive | null, mainType: RegExp, usualMain: string): boolean {
  return archive !== null && (mainType.test(archive.contentTypes) || archive.names.has(usualMain))
}

/** OpenDocument files and their templates, as a ZIP archive or as one XML file. */
async function isOdf({ head, archive }: SniffedFile, kind: string): Promise<boolean> {
  const mediaType = (await archive())?.mediaType ?? FLAT_ODF.exec(head.toString('latin1'))?.[1] ?? ''
  return new RegExp(`^application/vnd\\.oasis\\.opendocument\\.${kind}(?:-template|-master)?$`).test(mediaType)
}

/** True for a PDF with other bytes in front. Texts about PDFs have the header within a line, and messages can have a PDF as an attachment. */
function hasPdfHeader(head: Buffer, name: string): boolean {
  const start = head.toString('latin1', 0, PDF_HEADER_WITHIN + PDF_HEADER.length + '1.7'.length)
  return LATER_PDF_HEADER.test(start) && !beginsAsMail(start, isNamed(name, 'eml')) && !beginsAsMailbox(start)
}
