import { type Info, type Options, parse } from 'csv-parse'
import { Flow } from '../blocks/flow.ts'
import { writeFlow } from '../blocks/write-flow.ts'
import { readTextFile } from '../encoding/read-text-file.ts'
import type { Parser } from '../parser.ts'
import { CellBudget } from '../sheet/cell-budget.ts'
import type { Row } from '../sheet/sheet.ts'
import { writeSheet } from '../sheet/write-sheet.ts'
import { findDelimiter } from './delimiter.ts'

/** A longer record has a quote that is never closed. */
const MAX_RECORD_CHARS = 1_000_000
const PIECE_CHARS = 64 * 1024
const NUMBER = /^[-+(]?[$€£¥]?\s?\d[\d.,' \u00a0]*\s?[%€$£¥)]?$/

/** Reads comma- or tab-separated values as one table. Finds out which character separates the fields. */
export const parseCsv: Parser = async ({ file, limits }, output) => {
  const { text, encoding, confidence } = await readTextFile(file, limits)
  const { delimiter, start } = findDelimiter(text)
  const budget = new CellBudget()
  const rows = await readRows(text.slice(start), delimiter, budget)
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  writeSheet({ rows, merges: [], headerRows: new Set() }, flow)
  const { pageCount } = writeFlow(flow, output)
  return { title: null, pageCount, warnings: budget.warnings(), facts: { engine: 'csv', encoding, confidence } }
}

async function readRows(text: string, delimiter: string, budget: CellBudget): Promise<Row[]> {
  const options: Options = { delimiter, relax_column_count: true, relax_quotes: true, skip_empty_lines: true, info: true }
  try {
    return await collect(text, { ...options, max_record_size: MAX_RECORD_CHARS }, budget)
  } catch (error) {
    if (!isAboutQuotes(error)) throw error
    // In such a file, quotes are part of the text, as in 3.5" disks.
    return collect(text, { ...options, quote: null }, new CellBudget())
  }
}

async function collect(text: string, options: Options, budget: CellBudget): Promise<Row[]> {
  const parser = parse(options)
  const rows: Row[] = []
  const feed = async (): Promise<void> => {
    for (let at = 0; at < text.length; at += PIECE_CHARS) {
      if (!parser.write(text.slice(at, at + PIECE_CHARS))) await new Promise((resolve) => parser.once('drain', resolve))
    }
    parser.end()
  }
  void feed()
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
    const row: Row = { number: info.records + info.empty_lines, cells: [] }
    for (const [column, text] of record.entries()) {
      const trimmed = text.trim()
      if (trimmed === '' || !budget.take(1, row.number, '')) continue
      row.cells.push({ column, text: trimmed, isNumber: NUMBER.test(trimmed) })
    }
    if (row.cells.length > 0) rows.push(row)
  }
  return rows
}

function isAboutQuotes(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE' || code === 'CSV_INVALID_CLOSING_QUOTE'
}
