/** Offsets in UTF-16 code units. */
export type Span = readonly [start: number, end: number]

interface MarkedProps {
  text: string
  /** Sorted, not overlapping. */
  marks: readonly Span[]
  /** The part to show. Default: all of it. */
  part?: Span
}

/** Shows a text, or a part of it, with marked spans. */
export function Marked({ text, marks, part: [from, to] = [0, text.length] }: MarkedProps) {
  const pieces = []
  let at = from
  for (const [start, end] of marks) {
    const [first, last] = [Math.max(start, at), Math.min(end, to)]
    if (first >= last) continue
    pieces.push(text.slice(at, first), <mark>{text.slice(first, last)}</mark>)
    at = last
  }
  return (
    <>
      {pieces}
      {text.slice(at, to)}
    </>
  )
}
