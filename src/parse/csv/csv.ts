import { Readable } from 'node:stream'
import { type Info, type Options, parse } from 'csv-parse'
import { Flow, writeFlow } from '../blocks/flow.ts'
import { readStartOfTextFile } from '../encoding/decode.ts'
import type { Parser } from '../parser.ts'
import { CellBudget, type Row } from '../sheet/sheet.ts'
import { writeSheet } from '../sheet/write-sheet.ts'

/** A longer record has a quote that is never closed. */
const MAX_RECORD_CHARS = 1_000_000
const MB = 1_000_000
const PIECE_CHARS = 64 * 1024
const NUMBER = /^[-+(]?[$€£¥]?\s?\d[\d.,' \u00a0]*\s?[%€$£¥)]?$/

/**
 * Reads comma- or tab-separated values as one table. Finds out which character separates the fields. If a file is too large, this reads the
 * beginning, and a warning names the first row that isn't searchable.
 */
export const parseCsv: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence, isCut } = await readStartOfTextFile(file, limits)
  const { delimiter, start } = findDelimiter(text)
  const { rows, budget } = await readRows(text.slice(start), delimiter, isCut)
  if (isCut) budget.stop(`${limits.textBytes / MB} MB of text`, 1, (rows.at(-1)?.number ?? 0) + 1)
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  writeSheet({ rows, merges: [], headerRows: new Set() }, flow)
  const { pageCount } = writeFlow(flow, output)
  return { title: null, pageCount, warnings: budget.warnings(), facts: { engine: 'csv', encoding, confidence } }
}

interface Rows {
  rows: Row[]
  budget: CellBudget
}

async function readRows(text: string, delimiter: string, isCut: boolean): Promise<Rows> {
  const options: Options = { delimiter, relax_column_count: true, relax_quotes: true, skip_empty_lines: true, info: true }
  const quoted: Options = { ...options, max_record_size: MAX_RECORD_CHARS }
  try {
    return await collect(text, quoted)
  } catch (error) {
    if (!isAboutQuotes(error)) throw error
    if (isCut && (error as { code?: string }).code === 'CSV_QUOTE_NOT_CLOSED') {
      // The cut is within a quoted field, so the last row is not whole.
      const { rows, budget } = await collect(`${text}"`, quoted)
      return { rows: rows.slice(0, -1), budget }
    }
    // In such a file, quotes are part of the text, as in 3.5" disks.
    return collect(text, { ...options, quote: null })
  }
}

async function collect(text: string, options: Options): Promise<Rows> {
  const [rows, budget]: [Row[], CellBudget] = [[], new CellBudget()]
  const records = Readable.from(piecesOf(text)).pipe(parse(options)) as AsyncIterable<{ record: string[]; info: Info }>
  for await (const { record, info } of records) {
    const row: Row = { number: info.records + info.empty_lines, cells: [] }
    for (const [column, text] of record.entries()) {
      const trimmed = text.trim()
      if (trimmed === '') continue
      // Leaving the loop ends the parser, so a file with more rows takes no more time.
      if (!budget.take(1, row.number, '')) return { rows, budget }
      row.cells.push({ column, text: trimmed, isNumber: NUMBER.test(trimmed) })
    }
    if (row.cells.length > 0) rows.push(row)
  }
  return { rows, budget }
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARS) yield text.slice(at, at + PIECE_CHARS)
}

function isAboutQuotes(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE' || code === 'CSV_INVALID_CLOSING_QUOTE'
}

/** In the order of preference. */
const DELIMITERS = [',', ';', '\t', '|']
const MAX_LINES = 50
const MAX_CHARS = 100_000
/** Excel writes and reads this line in front of the others. */
const NAMED = /^\s*sep=([^\r\n])\r?\n/i

/** Returns the character between the fields, and where the first record begins. */
function findDelimiter(text: string): { delimiter: string; start: number } {
  const named = NAMED.exec(text)
  if (named !== null) return { delimiter: named[1]!, start: named[0].length }
  const lines = unquotedLines(text)
  const scores = DELIMITERS.map((delimiter) => scoreOf(lines.map((line) => line.split(delimiter).length - 1)))
  const best = Math.max(...scores)
  return { delimiter: DELIMITERS[best > 0 ? scores.indexOf(best) : 0]!, start: 0 }
}

/** The share of lines that have as many delimiters as most lines, and a little for many delimiters. Commas in prose differ from line to line. */
function scoreOf(counts: readonly number[]): number {
  const lines = new Map<number, number>()
  for (const count of counts) if (count > 0) lines.set(count, (lines.get(count) ?? 0) + 1)
  let best = 0
  for (const [count, frequency] of lines) best = Math.max(best, frequency / counts.length + Math.min(count, 50) / 1_000)
  return best
}

/** Returns the first lines without their quoted fields. */
function unquotedLines(text: string): string[] {
  const start = text.slice(0, MAX_CHARS).replace(/"(?:[^"]|"")*"/g, '')
  const lines = start.split(/\r\n?|\n/).slice(0, MAX_LINES)
  return lines.filter((line) => line.trim() !== '')
}
