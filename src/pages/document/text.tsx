import type { Block } from '../../core/parsed.ts'
import { Marked, type Span } from '../marked.tsx'
import { paths } from '../paths.ts'
import type { Sheet } from './window.ts'

/** The passage that the address names. Offsets count UTF-16 code units in the document's text. */
export interface ShownPassage {
  start: number
  end: number
  /** The words of the query in the passage. Offsets count from its start. */
  marks: readonly Span[]
}

interface SheetsProps {
  sheets: readonly Sheet[]
  passage: ShownPassage | null
  /** Number of the page that gets the passage's anchor if the passage is gone. */
  fallbackPage: number | null
  /** False for a document with only one page. */
  numbered: boolean
}

/** Shows the pages of one part of the text as they were extracted. */
export function Sheets({ sheets, passage, fallbackPage, numbered }: SheetsProps) {
  return (
    <>
      {sheets.map((sheet) => (
        <section
          class="sheet"
          {...(sheet.page.number === fallbackPage ? { id: paths.passageAnchor } : {})}
          {...(numbered ? { 'aria-labelledby': `page-${sheet.page.number}` } : {})}
        >
          {numbered ? (
            <h2 class="page-number" id={`page-${sheet.page.number}`}>
              Page {sheet.page.number}
            </h2>
          ) : null}
          {sheet.blocks.length === 0 ? <p class="hint">No text on this page.</p> : null}
          {sheet.blocks.map((block) => (
            <BlockText sheet={sheet} block={block} passage={passage} />
          ))}
        </section>
      ))}
    </>
  )
}

function BlockText({ sheet, block, passage }: { sheet: Sheet; block: Block; passage: ShownPassage | null }) {
  const { text } = sheet.page
  const { start, end } = block
  const [from, to] =
    passage === null ? [end, end] : [Math.max(start, passage.start - sheet.start), Math.min(end, passage.end - sheet.start)]
  const className = `block ${classOf(block)}`
  if (passage === null || from >= to) {
    return (
      <p class={className} dir="auto">
        {text.slice(start, end)}
      </p>
    )
  }
  const begins = passage.start - sheet.start
  const marks = passage.marks.map(([first, last]): Span => [begins + first, begins + last])
  const isFirst = begins >= start
  return (
    <p class={`${className} hit`} dir="auto">
      {text.slice(start, from)}
      <mark class="passage" {...(isFirst ? { id: paths.passageAnchor } : {})}>
        <Marked text={text} marks={marks} part={[from, to]} />
      </mark>
      {text.slice(to, end)}
    </p>
  )
}

function classOf({ kind, level = 1 }: Block): string {
  if (kind === 'heading') return `heading-${level <= 2 ? level : 3}`
  return kind === 'list_item' ? `list-item depth-${Math.min(level, 3)}` : kind.replace('_', '-')
}
