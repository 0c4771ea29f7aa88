import type { Block, Page } from '../../src/core/parsed.ts'

const KINDS = ['heading', 'paragraph', 'list_item', 'table_row', 'code']
/** Control characters other than tab and line feed, and Unicode's noncharacters. */
// eslint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufdd0-\ufdef\ufeff\ufffe\uffff]/

/** Checks a document's pages against the promises of core/parsed.ts. Returns a line for each fault; a correct parser has none for any document. */
export function pageFaults(pages: readonly Page[]): string[] {
  const faults: string[] = []
  let lastTable = 0
  pages.forEach((page, index) => {
    const fault = (what: string): void => void faults.push(`page ${index + 1}: ${what}`)
    if (page.number !== index + 1) fault(`says it is page ${page.number}`)
    if (!page.text.isWellFormed()) fault('a surrogate without its other half')
    const forbidden = FORBIDDEN.exec(page.text)?.[0]
    if (forbidden !== undefined) fault(`U+${forbidden.charCodeAt(0).toString(16).padStart(4, '0')} in its text`)
    let end = 0
    for (const block of page.blocks) {
      if (!Number.isInteger(block.start) || block.start < end)
        fault(`a block from ${block.start}, the one before ended at ${end}`)
      if (block.end <= block.start || block.end > page.text.length)
        fault(`a block from ${block.start} to ${block.end} of ${page.text.length}`)
      if (page.text.slice(block.start, block.end).trim() === '') fault(`a blank block at ${block.start}`)
      if (page.text.slice(end, block.start).trim() !== '') fault(`text in no block before ${block.start}`)
      for (const what of blockFaults(block, lastTable)) fault(what)
      lastTable = Math.max(lastTable, block.table ?? 0)
      end = block.end
    }
    if (page.text.slice(end).trim() !== '') fault('text in no block at its end')
  })
  return faults
}

function* blockFaults({ kind, level, table, header }: Block, lastTable: number): Iterable<string> {
  const leveled = kind === 'heading' || kind === 'list_item'
  if (!KINDS.includes(kind)) yield `a block of kind ${kind}`
  if (leveled && !(Number.isInteger(level) && level! >= 1 && level! <= 6)) yield `a ${kind} of level ${level}`
  if (!leveled && level !== undefined) yield `a ${kind} with a level`
  if (kind !== 'table_row' && (table !== undefined || header !== undefined)) yield `a ${kind} of table ${table}`
  if (kind === 'table_row' && !(table === lastTable || table === lastTable + 1))
    yield `a row of table ${table}, the last was ${lastTable}`
  if (header !== undefined && header !== true) yield `a header flag of ${String(header)}`
}
