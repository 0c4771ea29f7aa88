import { PassageText, passageIn, type ShownPassage } from './passage-text.tsx'
import type { Sheet } from './window.ts'

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
export function Code({ sheet, passage }: CodeProps) {
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
