import { readFile } from 'node:fs/promises'
import PDFParser, { type Output, type Page as Pdf2JsonPage } from 'pdf2json'
import { corrupt, encrypted } from '../failures.ts'
import type { Line, PageSource } from './line.ts'
import type { OpenPdf } from './pdfium.ts'
import { fixText } from './text-fixes.ts'

/** pdf2json never answers for some files (Type 3 fonts). The pool ends a loop that blocks the process. */
const MAX_ANSWER_MS = 8_000
/** Positions come in units of 16 points, widths in points, sizes of type in 6/7 of a point. */
const POINTS = 16
const SIZE = 6 / 7

/** Opens a PDF with pdf2json, the second engine. Throws `encrypted` and `corrupt`. */
export async function openWithPdf2json(file: string): Promise<OpenPdf> {
  const bytes = await readFile(file)
  // pdf2json throws an uncatchable error for an empty file.
  if (bytes.length === 0) throw corrupt('The PDF')
  // parseBuffer reads the whole ArrayBuffer behind a Buffer. Small files share one with other files, so this makes a copy.
  const output = await parse(Buffer.from(new Uint8Array(bytes).slice().buffer))
  return {
    pageCount: output.Pages.length,
    title: typeof output.Meta?.['Title'] === 'string' ? output.Meta['Title'] : '',
    outlineDepth: 0,
    read: async (index) => readPage(output.Pages[index]),
    close() {},
  }
}

function parse(bytes: Buffer): Promise<Output> {
  const parser = new PDFParser(null, false)
  return new Promise<Output>((resolve, reject) => {
    const timer = setTimeout(() => reject(corrupt('The PDF', new Error('pdf2json did not answer'))), MAX_ANSWER_MS)
    parser.on('pdfParser_dataReady', (output) => {
      clearTimeout(timer)
      resolve(output)
    })
    parser.on('pdfParser_dataError', (failure) => {
      clearTimeout(timer)
      const error = failure instanceof Error ? failure : failure.parserError
      reject(/password|encrypt/i.test(String(error)) ? encrypted() : corrupt('The PDF', error))
    })
    // 0 is for errors only. The warnings can have thousands of lines.
    parser.parseBuffer(bytes, 0)
  })
}

function readPage(page: Pdf2JsonPage | undefined): PageSource {
  const lines: Line[] = []
  for (const item of page?.Texts ?? []) {
    const text = fixText(item.R.map((run) => decode(run.T)).join('')).trim()
    const style = item.R[0]?.TS
    if (text === '' || style === undefined) continue
    const size = Math.max(style[1] * SIZE, 1)
    const x = item.x * POINTS
    const y = item.y * POINTS
    lines.push({ text, x, right: x + item.w, y, endY: y, size, bold: style[2] === 1, angle: Math.round(item.R[0]?.RA ?? 0) })
  }
  return { lines, notes: [], outline: [] }
}

/** Decodes text of versions before 4, which is URI-encoded. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The text has a percent sign that begins no escape, so it was not encoded.
    return text
  }
}
