import type { Flow } from '../blocks/flow.ts'
import type { Sheet } from './sheet.ts'
import { writeSheet } from './write-sheet.ts'

/** A sheet of a workbook. */
export interface NamedSheet extends Sheet {
  name: string
  isHidden: boolean
  /** Texts of shapes and charts. */
  texts: readonly string[]
  /** Comments with the addresses of their cells. */
  comments: readonly string[]
}

/** Writes a sheet with its name as the heading, then the texts of its shapes and the comments on its cells. */
export function writeNamedSheet(sheet: NamedSheet, flow: Flow): void {
  const { name, isHidden, rows, texts, comments } = sheet
  // The name alone is no content of an empty sheet.
  if (rows.length + texts.length + comments.length === 0) return
  write(flow, 'heading', `${name}${isHidden ? ' (hidden)' : ''}`, 1)
  writeSheet(sheet, flow)
  for (const text of texts) write(flow, 'paragraph', text)
  if (comments.length > 0) write(flow, 'heading', 'Comments', 2)
  for (const comment of comments) write(flow, 'paragraph', comment)
}

function write(flow: Flow, kind: 'heading' | 'paragraph', text: string, level?: number): void {
  flow.text(text)
  flow.end(kind, level)
}
