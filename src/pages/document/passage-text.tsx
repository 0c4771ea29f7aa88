import type { Span } from '../../core/excerpt.ts'
import { Marked } from '../marked.tsx'
import { paths } from '../paths.ts'
import type { Sheet } from './window.ts'

/** The passage that the address names. Offsets count UTF-16 code units in the document's text. */
export interface ShownPassage {
  start: number
  end: number
  /** The words of the query in the passage. Offsets count from its start. */
  marks: readonly Span[]
}

/** Returns what the passage has in common with a part of a page; null if nothing. Offsets count in the page's text. */
export function passageIn(sheet: Sheet, passage: ShownPassage | null, start: number, end: number): Span | null {
  if (passage === null) return null
  const [from, to] = [Math.max(start, passage.start - sheet.start), Math.min(end, passage.end - sheet.start)]
  return from < to ? [from, to] : null
}

/** Returns whether the passage begins in this part of a page. Offsets count in the page's text. */
export function beginsIn(sheet: Sheet, passage: ShownPassage | null, start: number, end: number): boolean {
  return passage !== null && passage.start - sheet.start >= start && passage.start - sheet.start < end
}

interface PassageTextProps {
  sheet: Sheet
  /** Offsets in the page's text. */
  start: number
  end: number
  passage: ShownPassage | null
  /** Whether the passage gets its anchor here if it begins here. */
  hasAnchor: boolean
}

/** Shows a part of a page, and marks what belongs to the passage. */
export function PassageText({ sheet, start, end, passage, hasAnchor }: PassageTextProps) {
  const { text } = sheet.page
  const part = passageIn(sheet, passage, start, end)
  if (passage === null || part === null) return <>{text.slice(start, end)}</>
  const begins = passage.start - sheet.start
  const marks = passage.marks.map(([first, last]): Span => [begins + first, begins + last])
  return (
    <>
      {text.slice(start, part[0])}
      <mark class="passage" {...(hasAnchor && begins >= start ? { id: paths.passageAnchor } : {})}>
        <Marked text={text} marks={marks} part={part} />
      </mark>
      {text.slice(part[1], end)}
    </>
  )
}
