import { extname } from 'node:path'
import type { Archive } from './archive.ts'

/** A format that docsearch doesn't read. */
export interface OtherFormat {
  /** `a workbook of Excel 97–2003` */
  what: string
  /** What the user can do, as a sentence. */
  advice: string
}

const CFB = 'application/x-cfb'
const WORD: OtherFormat = { what: 'a document of Word 97–2003', advice: saveAs('.docx') }
const EXCEL: OtherFormat = { what: 'a workbook of Excel 97–2003', advice: saveAs('.xlsx') }
const POWERPOINT: OtherFormat = { what: 'a presentation of PowerPoint 97–2003', advice: saveAs('.pptx') }
const PAGES: OtherFormat = { what: 'a Pages document', advice: exportFrom('Pages', 'Word') }
const NUMBERS: OtherFormat = { what: 'a Numbers spreadsheet', advice: exportFrom('Numbers', 'Excel') }
const KEYNOTE: OtherFormat = { what: 'a Keynote presentation', advice: exportFrom('Keynote', 'PowerPoint') }
const KINDLE: OtherFormat = { what: 'a Kindle book', advice: 'Convert it to EPUB and upload that.' }

/** Older Office formats share one container, so only the file name tells them apart. */
const OF_OFFICE: Readonly<Record<string, OtherFormat>> = {
  '.doc': WORD,
  '.dot': WORD,
  '.xls': EXCEL,
  '.xlt': EXCEL,
  '.ppt': POWERPOINT,
  '.pps': POWERPOINT,
  '.pot': POWERPOINT,
  '.vsd': { what: 'a Visio drawing', advice: saveAs('.pdf') },
  '.pub': { what: 'a Publisher document', advice: saveAs('.pdf') },
  '.mpp': { what: 'a Project plan', advice: saveAs('.pdf') },
  '.wps': { what: 'a Works document', advice: saveAs('.docx') },
}
/** Binary formats that only the file name tells. */
const BY_NAME: Readonly<Record<string, OtherFormat>> = {
  ...OF_OFFICE,
  '.wpd': { what: 'a WordPerfect document', advice: saveAs('.docx') },
  '.azw': KINDLE,
  '.azw3': KINDLE,
}
const BY_TYPE: Readonly<Record<string, OtherFormat>> = {
  [CFB]: { what: 'a file of an older Office format (DOC, XLS, PPT)', advice: saveAs('.docx, .xlsx or .pptx') },
  'application/vnd.apple.pages': PAGES,
  'application/vnd.apple.numbers': NUMBERS,
  'application/vnd.apple.keynote': KEYNOTE,
  'application/vnd.visio': { what: 'a Visio drawing', advice: saveAs('.pdf') },
  'application/x-mobipocket-ebook': KINDLE,
  'image/gif': imageOf('GIF'),
  'image/webp': imageOf('WebP'),
  'image/bmp': imageOf('BMP'),
  'image/heic': imageOf('HEIC'),
  'image/heif': imageOf('HEIF'),
  'image/avif': imageOf('AVIF'),
  'image/jp2': imageOf('JPEG 2000'),
  'image/vnd.djvu': { what: 'a DjVu document', advice: 'Convert it to PDF and upload that.' },
}
/** All iWork formats have the same kind of archive, so the extension tells them apart. */
const OF_IWORK: Readonly<Record<string, OtherFormat>> = { '.pages': PAGES, '.numbers': NUMBERS, '.key': KEYNOTE }
const IWORK_PARTS = ['index/document.iwa', 'index.zip', 'index.apxl', 'index.apxl.gz', 'index.xml', 'index.xml.gz']
/** The `mimetype` of OpenDocument files and of their predecessors, OpenOffice.org XML. */
const ODF: readonly [RegExp, OtherFormat][] = [
  [/opendocument\.graphics/, { what: 'an OpenDocument drawing', advice: saveAs('.pdf') }],
  [/opendocument\.formula/, { what: 'an OpenDocument formula', advice: saveAs('.pdf') }],
  [/opendocument\.(?:base|database)/, { what: 'an OpenDocument database', advice: 'Export its tables as CSV and upload those.' }],
  [/sun\.xml\.writer/, { what: 'a document of OpenOffice.org 1', advice: saveAs('.odt') }],
  [/sun\.xml\.calc/, { what: 'a spreadsheet of OpenOffice.org 1', advice: saveAs('.ods') }],
  [/sun\.xml\.impress/, { what: 'a presentation of OpenOffice.org 1', advice: saveAs('.odp') }],
]
/** Types of parts in an Office Open XML file. */
const OOXML: readonly [RegExp, OtherFormat][] = [
  [/ms-excel\.sheet\.binary/i, { what: 'a binary Excel workbook (XLSB)', advice: saveAs('.xlsx') }],
  [/ms-visio\./i, { what: 'a Visio drawing', advice: saveAs('.pdf') }],
  [/ms-package\.xps-/i, { what: 'an XPS document', advice: 'Print it to a PDF and upload that.' }],
]

/**
 * Returns the format of a file that docsearch doesn't read, if the user can save it in a format that docsearch reads.
 * @param detected The media type of its first bytes; null for an unknown one.
 */
export function otherFormatOf(detected: string | null, archive: Archive | null, name: string): OtherFormat | null {
  const extension = extname(name).toLowerCase()
  if (archive !== null) {
    const { mediaType, contentTypes, names } = archive
    const found = first(ODF, mediaType) ?? first(OOXML, contentTypes)
    if (found !== null) return found
    if (hasAny(names, IWORK_PARTS) && Object.hasOwn(OF_IWORK, extension)) return OF_IWORK[extension]!
  }
  if (detected === CFB && Object.hasOwn(OF_OFFICE, extension)) return OF_OFFICE[extension]!
  if (detected === null) return Object.hasOwn(BY_NAME, extension) ? BY_NAME[extension]! : null
  return Object.hasOwn(BY_TYPE, detected) ? BY_TYPE[detected]! : null
}

/** Older versions put everything into one folder. */
function hasAny(names: ReadonlySet<string>, parts: readonly string[]): boolean {
  return [...names].some((name) => parts.some((part) => name === part || name.endsWith(`/${part}`)))
}

function first(table: readonly [RegExp, OtherFormat][], text: string): OtherFormat | null {
  return table.find(([pattern]) => pattern.test(text))?.[1] ?? null
}

function imageOf(name: string): OtherFormat {
  return { what: `a ${name} image`, advice: 'On an instance with an OCR program, save it as PNG, JPEG or TIFF and upload that.' }
}

function saveAs(extension: string): string {
  return `Save it as ${extension} and upload it again.`
}

function exportFrom(program: string, format: string): string {
  return `In ${program}, choose File › Export To › ${format}, and upload the result.`
}
