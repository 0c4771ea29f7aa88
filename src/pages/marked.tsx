import type { Span } from '../core/excerpt.ts'

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
