import { Flow } from '../blocks/flow.ts'
import { writeFlow } from '../blocks/write-flow.ts'
import type { Parser } from '../parser.ts'
import { CellBudget } from '../sheet/cell-budget.ts'
import { writeNamedSheet } from '../sheet/write-named-sheet.ts'
import { OdsReader } from './ods-reader.ts'
import { readOdf } from './open-odf.ts'
import { OdfStyles } from './styles.ts'

const ODS = 'The ODS'

/** Reads an OpenDocument spreadsheet, page by page as an XLSX. */
export const parseOds: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const budget = new CellBudget()
  const styles = new OdfStyles()
  const reader = new OdsReader(styles, budget)
  const title = await readOdf({ file, limits }, ODS, { styles, body: reader })
  for (const [i, sheet] of reader.sheets.entries()) {
    if (i > 0) flow.nextPage()
    writeNamedSheet(sheet, flow)
  }
  const { pageCount } = writeFlow(flow, output)
  return { title, pageCount, warnings: budget.warnings(), facts: { engine: 'odf' } }
}
