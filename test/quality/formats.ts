import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { DEFAULT_LIMITS } from '../../src/config/config.ts'
import { silentLogger } from '../../src/core/logger.ts'
import { createParserPool } from '../../src/parse/pool/pool.ts'
import { sniff } from '../../src/parse/sniff/sniff.ts'
import { mean } from './metrics.ts'
import { overlap, type Overlap } from './overlap.ts'

const run = promisify(execFile)

/** Folders of the files, and what LibreOffice makes of each: a text, a table per sheet, or XML without styles. */
export const FORMATS = {
  pptx: 'fodp',
  xlsx: 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1',
  odt: 'txt:Text (encoded):UTF8',
  odp: 'fodp',
  ods: 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1',
  epub: null,
} as const
export type ComparedFormat = keyof typeof FORMATS

const CONVERT_MS = 60_000
const MAX_REFERENCE_BYTES = 50_000_000
/** A file with fewer words in the reference says nothing about the reader. */
const MIN_WORDS = 5
/** Embedded charts have their data in the XML, and these elements no text of the slide. */
const NO_TEXT =
  /<(draw:object|svg:desc|svg:title|dc:creator|dc:date|text:page-number|office:binary-data|presentation:(?:footer|date-time|header)-decl)[ >][^]*?<\/\1>/g

export interface FormatResult {
  files: number
  read: number
  /** Codes of the files that were refused, with their numbers. */
  refused: Record<string, number>
  /** Errors without a code of docsearch, or processes that ended. None may exist. */
  crashes: string[]
  compared: Overlap[]
  /** Files that only LibreOffice reads. */
  missed: string[]
}

/** Reads all files of a folder in parser processes, and compares each with the text of LibreOffice. */
export async function compareFormat(folder: string, format: ComparedFormat): Promise<FormatResult> {
  const result: FormatResult = { files: 0, read: 0, refused: {}, crashes: [], compared: [], missed: [] }
  const pool = createParserPool({ workers: 2, limits: DEFAULT_LIMITS, pdfEngine: 'pdfium', log: silentLogger })
  const work = await mkdtemp(join(tmpdir(), 'docsearch-formats-'))
  try {
    for (const name of (await readdir(folder)).sort()) {
      result.files++
      const file = join(folder, name)
      let text: string | null = null
      try {
        const { mediaType } = await sniff(file, name)
        const { pages } = await pool.parse({ owner: 'usr_1', file, mediaType, name })
        text = pages.map((page) => page.text).join('\n')
        result.read++
      } catch (error) {
        const { code = String(error) } = error as { code?: string }
        result.refused[code] = (result.refused[code] ?? 0) + 1
        if (/crash|memory|timeout|Error/.test(code)) result.crashes.push(`${name}: ${code}`)
      }
      const reference = await referenceOf(file, format, work)
      if (reference === null) continue
      if (text === null) result.missed.push(name)
      else {
        const compared = overlap(reference, text)
        if (compared.words >= MIN_WORDS) result.compared.push(compared)
      }
    }
  } finally {
    await pool.close()
    await rm(work, { recursive: true, force: true })
  }
  return result
}

/** Returns LibreOffice's text of a file; null if it can't read the file. */
async function referenceOf(file: string, format: ComparedFormat, work: string): Promise<string | null> {
  const target = FORMATS[format]
  if (target === null) return null
  const folder = join(work, 'out')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  const copy = join(work, `in${extname(basename(file))}`)
  await cp(file, copy)
  try {
    const profile = `-env:UserInstallation=file://${join(work, 'profile')}`
    await run('soffice', ['--headless', profile, '--convert-to', target, '--outdir', folder, copy], { timeout: CONVERT_MS })
  } catch {
    return null
  }
  const texts: string[] = []
  for (const name of await readdir(folder)) {
    const output = join(folder, name)
    if ((await stat(output)).size <= MAX_REFERENCE_BYTES) texts.push(await readFile(output, 'utf8'))
  }
  if (texts.length === 0) return null
  return target === 'fodp' ? textOfXml(texts.join('\n')) : texts.join('\n')
}

function textOfXml(xml: string): string {
  return xml
    .replace(/^[^]*?<office:body>/, '')
    .replace(NO_TEXT, ' ')
    .replace(/<text:s\/>|<text:tab\/>|<text:line-break\/>/g, ' ')
    .replace(/<\/text:[ph]>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
}

/** Returns the result as a row of the table in bench/DOCUMENTS.md. */
export function rowOf(format: ComparedFormat, { files, read, refused, compared, missed }: FormatResult): string {
  const codes = Object.entries(refused).map(([code, count]) => `${count} ${code}`)
  const share = (figure: (one: Overlap) => number): string =>
    compared.length === 0 ? '–' : mean(compared.map(figure)).toFixed(3).replace(/^0/, '')
  return `| ${format.toUpperCase()} | ${files} | ${read} | ${codes.join(', ') || '–'} | ${missed.length} | ${compared.length} | ${share(({ recall }) => recall)} | ${share(({ bigramF1 }) => bigramF1)} |`
}
