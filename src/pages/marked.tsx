import type { Span } from '../core/excerpt.ts'
import { languageTag } from '../text/language-tag.ts'
import type { Sheet } from './document/window.ts'
import { paths } from './paths.ts'

interface MarkedProps {
  text: string
  /** Sorted, not overlapping. */
  marks: readonly Span[]
  /** The part to show. Default: all of it. */
  part?: Span
  /** Parts to leave out, such as the addresses of links. Sorted, not overlapping. */
  hidden?: readonly Span[]
}

/** Shows a text, or a part of it, with marked spans. */
export function Marked({ text, marks, part: [from, to] = [0, text.length], hidden = [] }: MarkedProps) {
  const pieces = []
  let at = from
  for (const [start, end] of marks) {
    const [first, last] = [Math.max(start, at), Math.min(end, to)]
    if (first >= last) continue
    pieces.push(without(hidden, text, [at, first]))
    const marked = without(hidden, text, [first, last])
    if (marked !== '') pieces.push(<mark>{marked}</mark>)
    at = last
  }
  return (
    <>
      {pieces}
      {without(hidden, text, [at, to])}
    </>
  )
}

function without(hidden: readonly Span[], text: string, [from, to]: Span): string {
  let shown = ''
  let at = from
  for (const [start, end] of hidden) {
    if (end <= at) continue
    if (start >= to) break
    shown += text.slice(at, Math.max(at, start))
    at = Math.min(end, to)
  }
  return shown + text.slice(at, to)
}

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

/** Returns the value of `lang` for a text that is not in English, the language of the views. Screen readers and fonts need it. */
export function foreignLanguage(text: string): string | undefined {
  const tag = languageTag(text)
  return tag === null || tag === 'en' ? undefined : tag
}
