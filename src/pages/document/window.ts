import type { Block, Page } from '../../core/parsed.ts'

/** About ten pages: enough to read in, little enough for any browser. */
const CHARACTERS = 24_000
/** A scan has pages without any. */
const MOST_PAGES = 40
/** A block that is longer is shown in pieces: a text without a blank line is one block. */
const PIECE = CHARACTERS / 4

export interface Sheet {
  page: Page
  /** Where its text begins in the document's. */
  start: number
  /** Of the page's blocks those that are shown, the first and the last perhaps in part. */
  blocks: readonly Block[]
}

/** A stretch of a document, page by page. Offsets count in `documentText(pages)`, in UTF-16 code units. */
export interface TextWindow {
  sheets: readonly Sheet[]
  /** Where the stretch before this one begins, and the one after; null where there is none. */
  before: number | null
  after: number | null
}

/** A block or a part of one; a page without text is one of no length. Offsets as in the window. */
interface Piece {
  sheet: Sheet
  block: Block | null
  start: number
  end: number
}

/**
 * The stretch that begins with what stands at this offset; with `near` instead, one that has it not far from its beginning. A document that is no longer
 * than a stretch is shown whole.
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
  if (fitting(pieces) === pieces.length) first = 0
  else if (near !== undefined) {
    const least = indexOf(near - CHARACTERS / 3)
    const top = pieces.findIndex(({ sheet, start }, index) => index >= least && index <= first && start === topOf(sheet))
    first = top < 0 ? least : top
  }
  const end = first + fitting(pieces.slice(first))
  const before = first - fitting(pieces.slice(0, Math.max(0, first)).toReversed())
  return {
    sheets: sheetsOf(pieces.slice(Math.max(0, first), end)),
    before: first > 0 ? pieces[before]!.start : null,
    after: pieces[end]?.start ?? null,
  }
}

/** Offset of the page of this number; null where there is none. */
export function startOfPage(pages: readonly Page[], number: number): number | null {
  return piecesOf(pages).find(({ sheet }) => sheet.page.number === number)?.sheet.start ?? null
}

/** Where the first of it stands; that of a page without text is its start. */
function topOf({ page, start }: Sheet): number {
  return start + (page.blocks[0]?.start ?? 0)
}

function piecesOf(pages: readonly Page[]): Piece[] {
  let start = 0
  return pages.flatMap((page): Piece[] => {
    const sheet: Sheet = { page, start, blocks: [] }
    // With the form feed between them.
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
  while (block.end - start > PIECE) {
    const blank = text.slice(start + PIECE / 2, start + PIECE).search(/\s\S*$/)
    const end = blank < 0 ? start + PIECE : start + PIECE / 2 + blank + 1
    parts.push({ ...block, start, end })
    start = end
  }
  return [...parts, { ...block, start }]
}

/** How many of them make one stretch: at least one. */
function fitting(pieces: readonly Piece[]): number {
  let characters = 0
  const sheets = new Set<Sheet>()
  const over = pieces.findIndex(({ sheet, start, end }, index) => {
    characters += end - start
    sheets.add(sheet)
    return index > 0 && (characters > CHARACTERS || sheets.size > MOST_PAGES)
  })
  return over < 0 ? pieces.length : over
}

function sheetsOf(pieces: readonly Piece[]): Sheet[] {
  return [...Map.groupBy(pieces, ({ sheet }) => sheet)].map(([sheet, own]) => ({
    ...sheet,
    blocks: own.flatMap(({ block }) => block ?? []),
  }))
}
