import type { Pdfium } from './pdfium-module.ts'

/** The part of a page that is shown: its crop box within its media box. In points of the page before any rotation. */
export interface VisibleArea {
  left: number
  bottom: number
  right: number
  top: number
}

/** A place on a page, in the same points. */
export interface Place {
  x: number
  y: number
}

/** A character begins left of its ink, and a line at the edge is still seen. */
const TOLERANCE = 2

/** Returns null if the file doesn't say. */
export function readVisibleArea(pdfium: Pdfium, page: number): VisibleArea | null {
  // A structure of left, top, right and bottom.
  const rectangle = pdfium.malloc(16)
  try {
    if (!pdfium.api.FPDF_GetPageBoundingBox(page, rectangle)) return null
    const [left = 0, top = 0, right = 0, bottom = 0] = pdfium.floats().slice(rectangle / 4, rectangle / 4 + 4)
    return right > left && top > bottom ? { left, bottom, right, top } : null
  } finally {
    pdfium.free(rectangle)
  }
}

/** True if nothing between the two places can be seen. A line that crosses the area can be seen though both its ends are outside. */
export function isOutside(area: VisibleArea, from: Place, to: Place): boolean {
  return (
    Math.max(from.x, to.x) < area.left - TOLERANCE ||
    Math.min(from.x, to.x) > area.right + TOLERANCE ||
    Math.max(from.y, to.y) < area.bottom - TOLERANCE ||
    Math.min(from.y, to.y) > area.top + TOLERANCE
  )
}
