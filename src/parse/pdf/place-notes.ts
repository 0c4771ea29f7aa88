import type { Line, Note } from './line.ts'
import { usualAngle } from './edges.ts'

/** Puts each field and note after the line that it belongs to: its label on the left, else the nearest line above. */
export function placeNotes(lines: readonly Line[], notes: readonly Note[]): Line[] {
  if (notes.length === 0) return [...lines]
  const angle = usualAngle(lines)
  const placed = notes.map((note) => lineOf(note, angle)).toSorted((a, b) => a.y - b.y || a.x - b.x)
  const after = new Map<number, Line[]>()
  for (const note of placed) {
    const label = labelOf(note, lines)
    after.set(label, [...(after.get(label) ?? []), note])
  }
  return [...(after.get(-1) ?? []), ...lines.flatMap((line, i) => [line, ...(after.get(i) ?? [])])]
}

/** Converts a note to a line in the coordinates of lines with this angle. `y` is the upper edge of the note, `endY` the lower one. */
function lineOf({ text, left, right, top, bottom }: Note, angle: number): Line {
  const radians = (angle * Math.PI) / 180
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)]
  const corners = [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ] as const
  const xs = corners.map(([x, y]) => x * cos + y * sin)
  const ys = corners.map(([x, y]) => x * sin - y * cos)
  return {
    text,
    x: Math.min(...xs),
    right: Math.max(...xs),
    y: Math.min(...ys),
    endY: Math.max(...ys),
    size: 10,
    bold: false,
    angle,
    note: true,
  }
}

/** Returns the index of the line that a note belongs to; -1 if there is none on the left or above. */
function labelOf(note: Line, lines: readonly Line[]): number {
  let best = -1
  let least = Infinity
  lines.forEach((line, i) => {
    if (line.angle !== note.angle) return
    const isLeft = line.y > note.y && line.y - line.size < note.endY && line.x < note.x + line.size
    const distance = isLeft
      ? Math.max(0, note.x - line.right) / 4
      : note.y - line.endY + Math.max(0, line.x - note.right, note.x - line.right)
    if ((isLeft || line.y <= note.y + line.size) && distance <= least) [best, least] = [i, distance]
  })
  return best
}
