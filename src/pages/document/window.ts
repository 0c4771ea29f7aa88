import type { Block, Page } from '../../core/parsed.ts'

/** About ten pages: enough to read, and small enough for any browser. */
const MAX_CHARACTERS = 24_000
/** A scan has pages without characters, so their number needs a limit of its own. */
const MAX_PAGES = 40
/** A longer block is cut into pieces, because a text without a blank line is a single block. */
const MAX_PIECE = MAX_CHARACTERS / 4

export interface Sheet {
  page: Page
  /** Offset of the page's text in the document's text. */
  start: number
  /** The blocks to show. The first and the last may be incomplete. */
  blocks: readonly Block[]
}

/** One part of a document, page by page. Offsets count UTF-16 code units in `documentText(pages)`. */
export interface TextWindow {
  sheets: readonly Sheet[]
  /** Offsets of the previous and the next part; null if there is none. */
  before: number | null
  after: number | null
}

/** A block or a part of a block. A page without text is one piece of length 0. Offsets count as in `TextWindow`. */
interface Piece {
  sheet: Sheet
  block: Block | null
  start: number
  end: number
}

/**
 * Returns the part of a document that begins at the offset `at`, or a part that has the offset `near` close to its beginning.
 * A document that is not longer than one part is returned whole.
 */
export function windowAt(
  pages: readonly Page[],
  { at, near }: { at: number; near?: never } | { near: number; at?: never },
): TextWindow {
  const pieces = piecesOf(pages)
  const indexOf = (offset: number) => {
    const index = pieces.findIndex(({ start, end }) => end > offset || start >= offset)
    return index < 0 ? Math.max(0, pieces.length - 1) : index
  }
  let first = indexOf(at ?? near)
  if (countFitting(pieces) === pieces.length) first = 0
  else if (near !== undefined) {
    const least = Math.max(indexOf(near - MAX_CHARACTERS / 3), pagesBefore(pieces, first, MAX_PAGES / 3))
    const top = pieces.findIndex(({ sheet, start }, index) => index >= least && index <= first && start === topOf(sheet))
    first = top < 0 ? least : top
  }
  const end = first + countFitting(pieces.slice(first))
  const before = first - countFitting(pieces.slice(0, Math.max(0, first)).toReversed())
  return {
    sheets: sheetsOf(pieces.slice(Math.max(0, first), end)),
    before: first > 0 ? pieces[before]!.start : null,
    after: pieces[end]?.start ?? null,
  }
}

/** Returns the offset of the page with this number; null if there is none. */
export function startOfPage(pages: readonly Page[], number: number): number | null {
  return piecesOf(pages).find(({ sheet }) => sheet.page.number === number)?.sheet.start ?? null
}

/** Returns the index of the first piece of the pages before a piece, at most `count` of them. Many short pages fit into few characters. */
function pagesBefore(pieces: readonly Piece[], index: number, count: number): number {
  const sheets = new Set<Sheet>()
  let first = index
  while (first > 0 && sheets.add(pieces[first - 1]!.sheet).size <= count) first--
  return first
}

/** Returns the number of the page with this offset in the text of the document. */
export function pageAt(pages: readonly Page[], offset: number): number | undefined {
  let end = 0
  return pages.find(({ text }) => {
    // One more for the form feed between two pages.
    end += text.length + 1
    return offset < end
  })?.number
}

/** Returns the offset of the page's first block, or of the page itself if it has no text. */
function topOf({ page, start }: Sheet): number {
  return start + (page.blocks[0]?.start ?? 0)
}

function piecesOf(pages: readonly Page[]): Piece[] {
  let start = 0
  return pages.flatMap((page): Piece[] => {
    const sheet: Sheet = { page, start, blocks: [] }
    // One more for the form feed between two pages.
    start += page.text.length + 1
    if (page.blocks.length === 0) return [{ sheet, block: null, start: sheet.start, end: sheet.start }]
    return page.blocks.flatMap((block) =>
      cut(block, page.text).map((part) => ({
        sheet,
        block: part,
        start: sheet.start + part.start,
        end: sheet.start + part.end,
      })),
    )
  })
}

function cut(block: Block, text: string): Block[] {
  const parts: Block[] = []
  let { start } = block
  while (block.end - start > MAX_PIECE) {
    const half = text.slice(start + MAX_PIECE / 2, start + MAX_PIECE)
    const newline = block.kind === 'code' ? half.lastIndexOf('\n') : -1
    const blank = newline < 0 ? half.search(/\s\S*$/) : newline
    const end = blank < 0 ? start + MAX_PIECE : start + MAX_PIECE / 2 + blank + 1
    parts.push({ ...block, start, end })
    start = end
  }
  return [...parts, { ...block, start }]
}

/** Returns how many pieces from the beginning make up one part: at least one. */
function countFitting(pieces: readonly Piece[]): number {
  let characters = 0
  const sheets = new Set<Sheet>()
  const over = pieces.findIndex(({ sheet, start, end }, index) => {
    characters += end - start
    sheets.add(sheet)
    return index > 0 && (characters > MAX_CHARACTERS || sheets.size > MAX_PAGES)
  })
  return over < 0 ? pieces.length : over
}

function sheetsOf(pieces: readonly Piece[]): Sheet[] {
  return [...Map.groupBy(pieces, ({ sheet }) => sheet)].map(([sheet, own]) => ({
    ...sheet,
    blocks: own.flatMap(({ block }) => block ?? []),
  }))
}
