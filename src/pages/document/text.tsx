import { formatOf } from '../../core/formats.ts'
import { pageTitle, pageWord } from '../../core/location.ts'
import type { Block } from '../../core/parsed.ts'
import { foreignLanguage, PassageText, passageIn, type ShownPassage } from '../marked.tsx'
import { paths } from '../paths.ts'
import { Table } from './table.tsx'
import type { Sheet } from './window.ts'

interface SheetsProps {
  mediaType: string
  sheets: readonly Sheet[]
  passage: ShownPassage | null
  /** Number of the page that gets the passage's anchor if the passage is gone. */
  fallbackPage: number | null
  /** False for a document with only one page. */
  numbered: boolean
}

/** Shows the pages of one part of the text as they were extracted. */
export function Sheets({ mediaType, sheets, passage, fallbackPage, numbered }: SheetsProps) {
  return (
    <>
      {sheets.map((sheet) => (
        <section
          class="sheet"
          lang={foreignLanguage(textOf(sheet))}
          {...(sheet.page.number === fallbackPage ? { id: paths.passageAnchor } : {})}
          {...(numbered ? { 'aria-labelledby': `page-${sheet.page.number}` } : {})}
        >
          {numbered ? (
            <h2 class="page-number" lang="en" id={`page-${sheet.page.number}`}>
              {pageTitle(mediaType, sheet.page.number)}
            </h2>
          ) : null}
          {sheet.blocks.length === 0 ? <p class="hint">This {pageWord(mediaType)} has no text.</p> : null}
          {formatOf(mediaType)?.isCode === true && sheet.blocks.length > 0 ? (
            <Code sheet={sheet} passage={passage} />
          ) : (
            withQuotes(sheet.blocks).map(({ isQuoted, blocks }) =>
              isQuoted ? (
                <blockquote class="quote">
                  <Blocks sheet={sheet} blocks={blocks} passage={passage} />
                </blockquote>
              ) : (
                <Blocks sheet={sheet} blocks={blocks} passage={passage} />
              ),
            )
          )}
        </section>
      ))}
    </>
  )
}

/** Returns the beginning of the text that is shown of a page. */
function textOf({ page, blocks }: Sheet): string {
  const start = blocks[0]?.start ?? 0
  return page.text.slice(start, start + 1_000)
}

function Blocks({ sheet, blocks, passage }: { sheet: Sheet; blocks: readonly Block[]; passage: ShownPassage | null }) {
  return (
    <>
      {withTables(blocks).map((part) =>
        Array.isArray(part) ? (
          <Table sheet={sheet} rows={part} passage={passage} />
        ) : (
          <BlockText sheet={sheet} block={part} passage={passage} />
        ),
      )}
    </>
  )
}

/** Returns the blocks of a message in parts: what it quotes, and its own text. */
function withQuotes(blocks: readonly Block[]): { isQuoted: boolean; blocks: Block[] }[] {
  const parts: { isQuoted: boolean; blocks: Block[] }[] = []
  for (const block of blocks) {
    const isQuoted = block.quoted === true
    const last = parts.at(-1)
    if (last?.isQuoted === isQuoted) last.blocks.push(block)
    else parts.push({ isQuoted, blocks: [block] })
  }
  return parts
}

/** Returns the blocks with the rows of each table together. */
function withTables(blocks: readonly Block[]): (Block | Block[])[] {
  const parts: (Block | Block[])[] = []
  for (const block of blocks) {
    const last = parts.at(-1)
    if (block.kind !== 'table_row') parts.push(block)
    else if (Array.isArray(last) && last[0]!.table === block.table) last.push(block)
    else parts.push([block])
  }
  return parts
}

function BlockText({ sheet, block, passage }: { sheet: Sheet; block: Block; passage: ShownPassage | null }) {
  const { kind, start, end } = block
  const text = <PassageText sheet={sheet} start={start} end={end} passage={passage} hasAnchor />
  const className = `block ${classOf(block)}${passageIn(sheet, passage, start, end) === null ? '' : ' hit'}`
  return kind === 'code' ? (
    <pre class={className} dir="ltr">
      <code>{text}</code>
    </pre>
  ) : (
    <p class={className} dir="auto">
      {text}
    </p>
  )
}

function classOf({ kind, level = 1 }: Block): string {
  if (kind === 'heading') return `heading-${level <= 2 ? level : 3}`
  return kind === 'list_item' ? `list-item depth-${Math.min(level, 3)}` : kind.replace('_', '-')
}

/** Of more blank lines in a row, the view skips the rest, because a file can consist of nothing else. */
const MAX_BLANK_LINES = 20

interface CodeProps {
  sheet: Sheet
  passage: ShownPassage | null
}

/** A line of the page's text, with offsets in it. */
interface Line {
  number: number
  start: number
  end: number
}

/** Shows source code line by line, as text, with numbers that link to the lines, and marks the lines of the passage. */
function Code({ sheet, passage }: CodeProps) {
  const { start: offset, page, blocks } = sheet
  const isWhole = blocks[0]?.start === page.blocks[0]?.start && blocks.at(-1)?.end === page.blocks.at(-1)?.end
  return (
    <pre class="code-lines" dir="ltr">
      {linesOf(sheet).map(({ number, start, end }) => (
        <span class={passageIn(sheet, passage, start, end) === null ? 'line' : 'line hit'} id={`L${number}`}>
          <a
            href={isWhole ? `#L${number}` : `?at=${offset + start}#L${number}`}
            data-line={number}
            aria-label={`Line ${number}`}
            tabIndex={-1}
          />
          <code>
            <PassageText sheet={sheet} start={start} end={end} passage={passage} hasAnchor />
          </code>
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

/** Returns the lines from the first shown block to the last. */
function linesOf({ page: { text }, blocks }: Sheet): Line[] {
  const lines: Line[] = []
  const [top, bottom] = [blocks[0]?.start ?? 0, blocks.at(-1)?.end ?? 0]
  let blank = 0
  for (let start = 0, number = 1; start < bottom; number++) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    if (end >= top) {
      blank = text.slice(start, end).trim() === '' ? blank + 1 : 0
      if (blank <= MAX_BLANK_LINES) lines.push({ number, start, end: Math.min(end, bottom) })
    }
    start = end + 1
  }
  return lines
}
