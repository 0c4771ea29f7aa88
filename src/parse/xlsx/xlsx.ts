import { Flow, writeFlow } from '../blocks/flow.ts'
import { corrupt } from '../failures.ts'
import {
  DrawingText,
  readChart,
  findMainPart,
  readRelationships,
  type Relationship,
  relationshipId,
  targetsOf,
} from '../package/ooxml.ts'
import { type Package, withPackage, readTitle } from '../package/package.ts'
import type { Parser } from '../parser.ts'
import { CellBudget } from '../sheet/sheet.ts'
import { writeNamedSheet } from '../sheet/write-sheet.ts'
import { readSheet, type Workbook } from './read-sheet.ts'
import { readSharedStrings, StringText, readCellFormats } from './shared-parts.ts'

const XLSX = 'The XLSX'

interface SheetEntry {
  name: string
  isHidden: boolean
  /** Null if the file has no such part. */
  part: string | null
}

/**
 * Reads a workbook. A page is a sheet, and its name the heading. Cells have the text that Excel shows. Hidden sheets are read too, and
 * their headings say so. After the cells come the texts of shapes and charts, and comments with the addresses of their cells.
 */
export const parseXlsx: Parser = async ({ file, limits }, output) => {
  const flow = new Flow({ chars: limits.textBytes, pages: limits.pages })
  const budget = new CellBudget()
  const title = await withPackage({ file, what: XLSX, maxBytes: limits.xmlBytes }, async (parts) => {
    const main = await findMainPart(parts, 'xl/workbook.xml')
    if (main === null) throw corrupt(XLSX)
    const relationships = await readRelationships(parts, main)
    const { sheets, isFrom1904 } = await sheetsOf(parts, main, relationships)
    const workbook: Workbook = {
      strings: await readSharedStrings(parts, targetsOf(relationships, 'sharedStrings')[0]),
      formats: await readCellFormats(parts, targetsOf(relationships, 'styles')[0]),
      isFrom1904,
    }
    for (const [i, sheet] of sheets.entries()) {
      if (i > 0) flow.nextPage()
      await addSheet(parts, sheet, workbook, { flow, budget, page: i + 1 })
    }
    return readTitle(parts, 'docProps/core.xml')
  })
  const { pageCount } = writeFlow(flow, output)
  return { title, pageCount, warnings: budget.warnings(), facts: { engine: 'xlsx' } }
}

async function sheetsOf(
  parts: Package,
  main: string,
  relationships: ReadonlyMap<string, Relationship>,
): Promise<{ sheets: SheetEntry[]; isFrom1904: boolean }> {
  const sheets: SheetEntry[] = []
  let isFrom1904 = false
  await parts.readXml(main, {
    open(element) {
      const { name, attribute } = element
      if (name === 'workbookPr') isFrom1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '')
      else if (name === 'sheet') {
        const target = relationships.get(relationshipId(element) ?? '')?.target
        const isHidden = /hidden/i.test(attribute('state') ?? '')
        sheets.push({ name: attribute('name') ?? '', isHidden, part: target !== undefined && parts.has(target) ? target : null })
      }
    },
  })
  return { sheets, isFrom1904 }
}

async function addSheet(
  parts: Package,
  { name, isHidden, part }: SheetEntry,
  workbook: Workbook,
  { flow, budget, page }: { flow: Flow; budget: CellBudget; page: number },
): Promise<void> {
  if (part === null) return
  const relationships = await readRelationships(parts, part)
  const sheet = await readSheet(parts, { part, tables: targetsOf(relationships, 'table') }, workbook, { budget, page, name })
  const texts = await drawnTexts(parts, targetsOf(relationships, 'drawing'))
  const comments = await readCellComments(parts, relationships)
  writeNamedSheet({ ...sheet, name, isHidden, texts, comments }, flow)
}

/** Returns the texts of the shapes and charts on a sheet. */
async function drawnTexts(parts: Package, drawings: readonly string[]): Promise<string[]> {
  const texts: string[] = []
  for (const drawing of drawings) {
    await parts.readOptionalXml(drawing, new DrawingText(({ text }) => texts.push(text)))
    for (const chart of targetsOf(await readRelationships(parts, drawing), 'chart'))
      texts.push((await readChart(parts, chart)).join(' | '))
  }
  return texts.filter((text) => text !== '')
}

/** Excel repeats each threaded comment as an older one, for programs that know only those. It begins with this word in any language. */
const REPEATED = /^\[[^\]]{3,60}\]\s/

/** Returns the comments on the cells of a sheet, each with the address of its cell. */
async function readCellComments(parts: Package, relationships: ReadonlyMap<string, Relationship>): Promise<string[]> {
  const threaded = targetsOf(relationships, 'threadedComment')
  const comments: string[] = []
  for (const part of threaded) comments.push(...(await readComments(parts, part, 'threadedComment')))
  for (const part of targetsOf(relationships, 'comments')) {
    const older = await readComments(parts, part, 'comment')
    comments.push(...(threaded.length === 0 ? older : older.filter((text) => !REPEATED.test(text.replace(/^\S+: /, '')))))
  }
  return comments
}

async function readComments(parts: Package, part: string, element: string): Promise<string[]> {
  const comments: string[] = []
  let address: string | null = null
  let plain = ''
  let isPlain = false
  const rich = new StringText()
  await parts.readOptionalXml(part, {
    open(opened) {
      if (opened.name === element) address = opened.attribute('ref') ?? ''
      else if (address !== null && element === 'threadedComment') isPlain = opened.name === 'text'
      else rich.open(opened)
    },
    text(text) {
      if (isPlain) plain += text
      else if (address !== null) rich.text(text)
    },
    close(name) {
      rich.close(name)
      isPlain &&= name !== 'text'
      if (name !== element || address === null) return
      const text = (plain + rich.take()).replace(/\s+/g, ' ').trim()
      if (text !== '') comments.push(`${address}: ${text}`)
      address = null
      plain = ''
    },
  })
  return comments
}
